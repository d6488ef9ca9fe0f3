/// Three functions over the limit, between things that are none: read as text, never compiled.
namespace gradus {
namespace {

const char* text = R"({ not a brace })";  // nor this: {

int free_function(int x) {
  ++x;
  ++x;
  ++x;
  ++x;
  ++x;
  ++x;
  ++x;
  ++x;
  ++x;
  ++x;
  ++x;
  ++x;
  ++x;
  ++x;
  ++x;
  ++x;
  ++x;
  ++x;
  ++x;
  ++x;
  ++x;
  ++x;
  ++x;
  ++x;
  ++x;
  ++x;
  ++x;
  ++x;
  ++x;
  ++x;
  return x;
}

struct Thing {
  int a, b;
  Thing(int x)
      : a{x}, b(x) {
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
  }
  int operator()(Pair p = {1, 2}) const {
    ++p.first;
    ++p.first;
    ++p.first;
    ++p.first;
    ++p.first;
    ++p.first;
    ++p.first;
    ++p.first;
    ++p.first;
    ++p.first;
    ++p.first;
    ++p.first;
    ++p.first;
    ++p.first;
    ++p.first;
    ++p.first;
    ++p.first;
    ++p.first;
    ++p.first;
    ++p.first;
    ++p.first;
    ++p.first;
    ++p.first;
    ++p.first;
    ++p.first;
    ++p.first;
    ++p.first;
    ++p.first;
    ++p.first;
    ++p.first;
    ++p.first;
    ++p.first;
    return p.first;
  }
  int just_short_enough() {
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    ++a;
    return a;
  }
};

}  // namespace
}  // namespace gradus

// The back end `gpu` of Batch. What needs a GPU is skipped where there is none; the refusals are tested everywhere.
#include <gtest/gtest.h>

#include <cmath>

#include "gradus/batch.h"

namespace gradus::test {
namespace {

using Mask = std::vector<std::uint8_t>;

std::string file(const std::string& name) { return std::string(GRADUS_SOURCE_DIR) + "/" + name; }

Batch::Options options_of(int worlds, const std::string& backend) {
  Batch::Options o;
  o.worlds = worlds;
  o.backend = backend;
  o.observe = {"quadruped.gravity",  "quadruped.velocity",     "quadruped.spin",      "quadruped.joint_q", "quadruped.joint_v", "quadruped.joint_tau",
               "quadruped.z",        "quadruped.pitch",        "quadruped.*_foot.fn", "time",              "quadruped.front_left_foot.fn.most",
               "quadruped.front_left_foot.fn.air"};
  return o;
}
std::string refusal(const std::string& scene, const Batch::Options& o) {
  try {
    const Batch b = Batch::load(scene, o);
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}
Batch quadrupeds(int worlds, const std::string& backend) { return Batch::load(file("scenes/learn_trot.toml"), options_of(worlds, backend)); }

TEST(GpuBatch, what_it_cannot_do_is_listed_before_a_device_is_looked_for) {
  Batch::Options o;
  o.backend = "gpu";
  o.single = false;
  const std::string nao = refusal(file("scenes/nao.toml"), o);
  EXPECT_NE(nao.find("the GPU cannot do: "), std::string::npos) << nao;
  EXPECT_NE(nao.find("actuator chains"), std::string::npos) << nao;
  EXPECT_NE(nao.find("numbers in double"), std::string::npos) << nao;
  o.single = true;
  EXPECT_NE(refusal(file("scenes/terrain.toml"), o).find("terrain and objects of the field"), std::string::npos);
  o.parameters = {"world.contact.friction"};
  EXPECT_NE(refusal(file("scenes/learn_trot.toml"), o).find("parameters of each world's own"), std::string::npos);
}

TEST(GpuBatch, other_back_ends_have_no_arrays_on_a_gpu) {
  Batch b = quadrupeds(2, "lanes");
  EXPECT_THROW(b.gpu(), Error);
  EXPECT_THROW(b.launch(1, nullptr), Error);
}

class OnGpu : public testing::Test {
 protected:
  void SetUp() override {
    const std::string why = refusal(file("scenes/learn_trot.toml"), options_of(2, "gpu"));
    if (why.empty()) return;
    EXPECT_NE(why.find("no GPU: "), std::string::npos) << why;  // one line that says what is missing
    EXPECT_EQ(why.find('\n'), std::string::npos) << why;
    GTEST_SKIP() << why;
  }
};

void fill(Batch& b, int call) {
  const std::span<float> a = b.actions<float>();
  const int n = b.action_size();
  for (int w = 0; w < b.worlds(); ++w)
    for (int i = 0; i < n; ++i)
      a[static_cast<std::size_t>(w * n + i)] =
          static_cast<float>(b.action_start()[static_cast<std::size_t>(i)] + 0.05 * std::sin(0.7 * call + 1.3 * i + 0.9 * w));
}

/// Largest difference of two batches' observations, of the middle of all numbers: legs at the border of sliding differ more.
double difference(Batch& a, Batch& b) {
  const std::span<float> x = a.observations<float>(), y = b.observations<float>();
  std::vector<double> d;
  for (std::size_t i = 0; i < x.size(); ++i) d.push_back(std::abs(static_cast<double>(x[i]) - static_cast<double>(y[i])) / (1 + std::abs(static_cast<double>(y[i]))));
  std::sort(d.begin(), d.end());
  return d[d.size() * 9 / 10];
}

TEST_F(OnGpu, it_observes_what_lanes_observe) {
  Batch gpu = quadrupeds(40, "gpu"), lanes = quadrupeds(40, "lanes");
  EXPECT_LE(difference(gpu, lanes), 1e-6) << "at the start";
  for (int call = 0; call < 8; ++call) {
    fill(gpu, call), fill(lanes, call);
    gpu.act(5), lanes.act(5);
    EXPECT_LE(difference(gpu, lanes), 2e-4) << "call " << call;
  }
  EXPECT_GE(gpu.predictions(), 40 * 40);
}

TEST_F(OnGpu, resets_delays_shoves_and_snapshots_are_those_of_lanes) {
  Batch gpu = quadrupeds(20, "gpu"), lanes = quadrupeds(20, "lanes");
  std::vector<int> delays(20);
  for (int w = 0; w < 20; ++w) delays[static_cast<std::size_t>(w)] = w % 4;
  Mask some(20, 0);
  some[3] = some[17] = 1;
  for (Batch* b : {&gpu, &lanes}) {
    b->set_delays(delays);
    b->set_start_noise(std::vector<double>(static_cast<std::size_t>(b->velocity_size()), 0.01), std::vector<double>(static_cast<std::size_t>(b->velocity_size()), 0.1));
    fill(*b, 1), b->act(5);
    b->reset(some);
    std::vector<double> dv(static_cast<std::size_t>(20 * b->velocity_size()), 0.1);
    b->add_velocity(some, dv);
    b->restore(5, b->save(3));
    fill(*b, 2), b->act(5);
  }
  EXPECT_LE(difference(gpu, lanes), 2e-4);
  EXPECT_EQ(gpu.ages()[3], 5);
}

TEST_F(OnGpu, a_world_has_the_same_bits_alone_and_among_others_and_in_every_run) {
  Batch many = quadrupeds(300, "gpu"), again = quadrupeds(300, "gpu"), one = quadrupeds(1, "gpu");
  for (int call = 0; call < 5; ++call) {
    for (Batch* b : {&many, &again, &one}) fill(*b, call), b->act(10);
  }
  EXPECT_EQ(many.hash(), again.hash());
  EXPECT_EQ(many.hash(0), one.hash(0));
  EXPECT_NE(many.hash(1), one.hash(0));
}

}  // namespace
}  // namespace gradus::test

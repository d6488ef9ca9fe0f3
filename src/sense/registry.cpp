#include "sense/kinds/camera.h"
#include "sense/kinds/distance.h"
#include "sense/kinds/drives.h"
#include "sense/kinds/forces.h"
#include "sense/kinds/inertial.h"
#include "sense/kinds/objects.h"
#include "sense/kinds/overhead.h"
#include "sense/sense.h"

namespace gradus::sense {

std::span<const SensorTable> all_sensors() {
  static constexpr SensorTable kTable[] = {
      sensor_table<Gyroscope>(),   sensor_table<Accelerometer>(), sensor_table<Orientation>(), sensor_table<Encoder>(),
      sensor_table<JointTorque>(), sensor_table<Current>(),       sensor_table<Temperature>(), sensor_table<Battery>(),
      sensor_table<Pads>(),        sensor_table<Touch>(),         sensor_table<ForceThrough>(), sensor_table<TorqueThrough>(),
      sensor_table<Sonar>(),       sensor_table<Laser>(),         sensor_table<HeightScan>(),
      sensor_table<GroundUnder>(), sensor_table<Objects>(),       sensor_table<CameraSensor>(), sensor_table<WheelEncoder>(),
      sensor_table<Overhead>(),
  };
  return kTable;
}

}  // namespace gradus::sense

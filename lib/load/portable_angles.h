// Angles in plain double arithmetic, as load/portable_math.h has the rest: bit
// for bit the same on any machine. Polynomials are those of FreeBSD's msun.
#ifndef SHARDINE_LOAD_PORTABLE_ANGLES_H_
#define SHARDINE_LOAD_PORTABLE_ANGLES_H_

namespace shardine {

// Within one unit in the last place. REQUIRES: -1e5 <= x <= 1e5.
double PortableSin(double x);
double PortableCos(double x);

// Within 5e-16, relative. REQUIRES: as above.
double PortableTan(double x);

// Within one unit in the last place. REQUIRES: -1 <= x <= 1.
double PortableAtan(double x);

// As Python's math has them.
double Radians(double degrees);
double Degrees(double radians);

}  // namespace shardine

#endif  // SHARDINE_LOAD_PORTABLE_ANGLES_H_

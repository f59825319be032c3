// Where a file that is a URI comes from.
#ifndef FXPROF_URI_H
#define FXPROF_URI_H

#include "fxprof.h"

// Whether a text begins with a scheme. One letter is the drive of a Windows path.
bool fx_uri_is(fxprof_text text);

// The origin of a URI that comes from a web server or an extension, and its host; else the URI
// itself and no host (untouched). All are strings of the profile.
fxprof_status fx_uri_intern_origin(fxprof_profile *profile, uint32_t uri, uint32_t *origin,
                                   uint32_t *host);

#endif

// The arguments of call scripts, as the builder takes them.
#ifndef TEST_FXPROF_ARGUMENTS_H
#define TEST_FXPROF_ARGUMENTS_H

#include "fxprof/fxprof.h"
#include "json.h"

// What a variable holds: a handle of one number or two, or a value.
typedef struct {
  const char *name;   // "$..."
  const char *kind;   // of a handle; NULL for a value
  uint32_t a, b;
  const char *value;  // JSON
} variable;

typedef struct {
  fxprof_profile *profile;
  const json *static_schemas;
  variable *variables;
  size_t variable_count;
} script;

// The variable that an argument names; one of zeros for null, and for one that was never assigned.
variable get_variable(const script *s, const json *args, const char *key);

fxprof_text get_text(const json *args, const char *key);  // none for null
bool get_bool(const json *args, const char *key);
double get_double(const json *value);
uint64_t get_u64(const json *value);  // addresses, too
int64_t get_i64(const json *value);

// The place of a word in a list that ends with NULL; the list's length if it is not there.
unsigned find_word(const char *const *words, const json *word);

fxprof_time get_time(const json *value);
fxprof_cpu get_cpu(const json *value);
fxprof_reference get_reference(const json *value);
fxprof_status get_interval(const json *value, fxprof_interval *interval);
fxprof_timing get_timing(const json *value);
fxprof_graph_color get_graph_color(const json *value);

fxprof_symbols get_symbols(const json *value);
fxprof_status get_library(const json *value, fxprof_library_info *info);
fxprof_frame_info get_frame(const script *s, const json *value);
fxprof_schema get_schema(const json *value);
const fxprof_value *get_values(const script *s, const json *value);

#endif

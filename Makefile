# profilyfill: setup, build, demo, test, bench, soak, fuzz, size, clean.
#
# Everything that is built lands in wasm-out/. Compilers and browsers come from Debian packages,
# JavaScript packages from package-lock.json; `make setup` installs what is missing.

SHELL := /bin/bash
MAKEFLAGS += --jobs=2
OUT := wasm-out
TEST_OUT := $(OUT)/test

CORE := $(sort $(wildcard c/trace/*.c))
CORE_HEADERS := $(wildcard c/trace/*.h)
FXPROF := $(sort $(wildcard c/fxprof/*.c))
FXPROF_HEADERS := $(wildcard c/fxprof/*.h)
MEMORY := $(sort $(wildcard c/memory/*.c)) c/trace/buffer.c c/trace/memory.c
MEMORY_HEADERS := $(wildcard c/memory/*.h) c/trace/buffer.h c/trace/memory.h
SHIM := $(shell find js -name '*.js' -o -name '*.d.ts' -o -name '*.d.cts')

WARNINGS := -std=c11 -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

.PHONY: all setup build lib demo test test-c conformance bench soak fuzz size clean

all: build

# Setup -------------------------------------------------------------------------------------------

# package -> the file that shows it is there
PACKAGES := emscripten:/usr/bin/emcc binaryen:/usr/bin/wasm2js clang:/usr/bin/clang \
  gcc:/usr/bin/gcc wasi-libc:/usr/lib/wasm32-wasi/libc.a lld:/usr/bin/wasm-ld \
  libclang-rt-dev-wasm32:/usr/share/doc/libclang-rt-dev-wasm32 \
  libclang-rt-14-dev:/usr/share/doc/libclang-rt-14-dev \
  libcmocka-dev:/usr/include/cmocka.h zlib1g-dev:/usr/include/zlib.h \
  pkg-config:/usr/bin/pkg-config chromium:/usr/bin/chromium \
  firefox-esr:/usr/bin/firefox-esr webkit2gtk-driver:/usr/bin/WebKitWebDriver xvfb:/usr/bin/Xvfb

setup: node_modules/.package-lock.json
	@missing=; for entry in $(PACKAGES); do \
	  [ -e "$${entry#*:}" ] || missing="$$missing $${entry%%:*}"; done; \
	if [ -n "$$missing" ]; then \
	  echo "installing$$missing"; \
	  sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
	  $$sudo apt-get update -q && \
	  $$sudo env DEBIAN_FRONTEND=noninteractive \
	    apt-get install -y -q --no-install-recommends $$missing; \
	fi

node_modules/.package-lock.json: package-lock.json
	npm ci --no-fund --no-audit
	@touch $@

# Build -------------------------------------------------------------------------------------------

build: $(OUT)/.built $(OUT)/fxprof-replay

# What needs a compiler or a package comes after `setup`, which is no reason to make it again. What
# is made by rules of this file depends on this file: other flags make another program.

# Built when the last file of the bundles is. Another lock file may mean another bundler.
$(OUT)/.built: $(OUT)/profilyfill.wasm $(OUT)/profilyfill-twin.js $(OUT)/fxprof.wasm \
  $(OUT)/measure-memory.wasm $(OUT)/measure-memory-twin.js $(SHIM) \
  package.json package-lock.json | setup
	node js/build/bundle.js
	@touch $@

# A module of its own: no host functions, no generated glue, only the exports that c/wasm names.
# 32 KB of stack: the deepest call chain holds one list of 255 frames (see c/trace/stacks.c).
EMCC_FLAGS := -std=c11 -Wall -Wextra -Werror -Ic -Oz -flto -DSTACK_TEXT_LIVING_ENGINES --no-entry \
  -s STANDALONE_WASM=1 -s MALLOC=emmalloc -s ALLOW_MEMORY_GROWTH=1 -s INITIAL_MEMORY=262144 \
  -s TOTAL_STACK=32768 -s MAXIMUM_MEMORY=1073741824 -s ERROR_ON_UNDEFINED_SYMBOLS=1

# $(call make-wasm,NAME,sources,flags,level): c/wasm/NAME.c with what c/wasm/NAME.exports lists.
define make-wasm
@mkdir -p $(OUT)
emcc $(3) -o $(OUT)/$(1).raw.wasm c/wasm/$(1).c $(2)
node js/build/metadce.js c/wasm/$(1).exports > $(OUT)/$(1).graph.json
wasm-metadce $(OUT)/$(1).raw.wasm -f $(OUT)/$(1).graph.json -o $(OUT)/$(1).dce.wasm > /dev/null
wasm-opt $(4) $(OUT)/$(1).dce.wasm -o $@
@rm $(OUT)/$(1).raw.wasm $(OUT)/$(1).dce.wasm $(OUT)/$(1).graph.json
endef

$(OUT)/profilyfill.wasm: c/wasm/core.c c/wasm/core.exports $(CORE) $(CORE_HEADERS) \
  js/build/metadce.js Makefile | setup
	$(call make-wasm,core,$(CORE),$(EMCC_FLAGS),-Oz)

$(OUT)/measure-memory.wasm: c/wasm/memory.c c/wasm/memory.exports $(MEMORY) $(MEMORY_HEADERS) \
  js/build/metadce.js Makefile | setup
	$(call make-wasm,memory,$(MEMORY),$(EMCC_FLAGS),-Oz)

# Fast rather than small: nobody loads it before a profile is to be written. Symbols that are not
# defined are imports; a test knows the only one. 64 KB of stack: writing takes 8 KB, sorting 4 KB.
FXPROF_EMCC_FLAGS := -std=c11 -Wall -Wextra -Werror -Ic -O3 --no-entry -s STANDALONE_WASM=1 \
  -s MALLOC=emmalloc -s ALLOW_MEMORY_GROWTH=1 -s INITIAL_MEMORY=262144 -s TOTAL_STACK=65536 \
  -s MAXIMUM_MEMORY=2147483648 -s ERROR_ON_UNDEFINED_SYMBOLS=0 -s WARN_ON_UNDEFINED_SYMBOLS=0
FXPROF_WASM := $(filter-out c/fxprof/gzip.c,$(FXPROF))

$(OUT)/fxprof.wasm: c/wasm/fxprof.c c/wasm/fxprof.exports $(FXPROF_WASM) $(FXPROF_HEADERS) \
  js/build/metadce.js Makefile | setup
	$(call make-wasm,fxprof,$(FXPROF_WASM),$(FXPROF_EMCC_FLAGS),-O3)

$(OUT)/%-twin.js: $(OUT)/%.wasm js/build/twin.js js/build/short-names.js c/wasm/core.exports | setup
	wasm2js -O3 -o $(OUT)/$*-twin.raw.js $<
	node js/build/twin.js $(OUT)/$*-twin.raw.js $(OUT)/$*-twin
	@rm $(OUT)/$*-twin.raw.js

# The profile builder, natively: make test compiles c/example/fxprof.c with what is here.
LIB := $(OUT)/lib/libfxprof.a $(OUT)/lib/pkgconfig/fxprof.pc $(OUT)/include/fxprof.h
FXPROF_OBJECTS := $(FXPROF:c/fxprof/%.c=$(OUT)/fxprof/%.o)

lib: $(LIB)

$(OUT)/fxprof/%.o: c/fxprof/%.c $(FXPROF_HEADERS) Makefile | setup
	@mkdir -p $(@D)
	cc $(WARNINGS) -O3 -fPIC -c -o $@ $<

$(OUT)/lib/libfxprof.a: $(FXPROF_OBJECTS)
	@mkdir -p $(@D)
	ar rcsD $@ $^

# What pkg-config knows moves with the folder.
$(OUT)/lib/pkgconfig/fxprof.pc: package.json Makefile
	@mkdir -p $(@D)
	@printf '%s\n' 'prefix=$${pcfiledir}/../..' '' 'Name: fxprof' \
	  'Description: builds profiles for the Firefox Profiler' \
	  "Version: $$(node -p "require('./package.json').version")" \
	  'Cflags: -I$${prefix}/include' 'Libs: -L$${prefix}/lib -lfxprof -lz' > $@

$(OUT)/include/fxprof.h: c/fxprof/fxprof.h
	@mkdir -p $(@D)
	cp $< $@

REPLAY := $(wildcard test/fxprof/*.c)
$(OUT)/fxprof-replay: $(REPLAY) $(wildcard test/fxprof/*.h) $(OUT)/lib/libfxprof.a
	cc $(WARNINGS) -D_POSIX_C_SOURCE=200809L -O2 -g -Ic -o $@ $(REPLAY) $(OUT)/lib/libfxprof.a -lz

# Demo --------------------------------------------------------------------------------------------

# Profiles a page in every browser installed, prints where its time went, then serves it;
# SERVE=0 stops after the print.
demo: build
	node demo/run.js

# Tests -------------------------------------------------------------------------------------------

C_TESTS := $(patsubst test/c/%.c,$(TEST_OUT)/%,$(wildcard test/c/test_*.c))
FUZZERS := $(patsubst test/c/%.c,$(TEST_OUT)/%,$(wildcard test/c/fuzz_*.c))
C_TEST_PARTS := $(CORE) $(CORE_HEADERS) $(wildcard test/c/*.h) Makefile

test: build lib $(C_TESTS) $(TEST_OUT)/stack-parse $(FUZZERS)
	node test/run.js

test-c: $(C_TESTS)
	node test/run.js --only c

$(TEST_OUT)/test_%: test/c/test_%.c $(C_TEST_PARTS) | setup
	@mkdir -p $(TEST_OUT)
	gcc $(WARNINGS) $(SANITIZE) -O1 -g -Ic -o $@ $< $(CORE) -lcmocka

$(TEST_OUT)/test_memory: test/c/test_memory.c test/c/support.h $(MEMORY) $(MEMORY_HEADERS) Makefile | setup
	@mkdir -p $(TEST_OUT)
	gcc $(WARNINGS) $(SANITIZE) -O1 -g -Ic -o $@ $< $(MEMORY) -lcmocka

FXPROF_SANITIZED := $(FXPROF:c/fxprof/%.c=$(TEST_OUT)/fxprof/%.o)
$(FXPROF_SANITIZED): $(TEST_OUT)/fxprof/%.o: c/fxprof/%.c $(FXPROF_HEADERS) Makefile | setup
	@mkdir -p $(@D)
	gcc $(WARNINGS) $(SANITIZE) -O1 -g -c -o $@ $<

$(TEST_OUT)/test_fxprof_%: test/c/test_fxprof_%.c $(FXPROF_SANITIZED) test/c/fxprof_support.h
	gcc $(WARNINGS) $(SANITIZE) -O1 -g -Ic -o $@ $< $(filter %.o,$^) -lcmocka -lz -lm

$(TEST_OUT)/fuzz_fxprof: test/c/fuzz_fxprof.c test/fxprof/json.c $(FXPROF) $(FXPROF_HEADERS) Makefile | setup
	@mkdir -p $(TEST_OUT)
	clang $(WARNINGS) $(SANITIZE) -fsanitize=fuzzer -O1 -g -Ic -o $@ $(filter %.c,$^) -lz

$(TEST_OUT)/fuzz_%: test/c/fuzz_%.c $(C_TEST_PARTS) | setup
	@mkdir -p $(TEST_OUT)
	clang $(WARNINGS) $(SANITIZE) -fsanitize=fuzzer -O1 -g -Ic -o $@ $< $(CORE)

$(TEST_OUT)/stack-parse: test/c/stack_parse_main.c c/trace/stack_text.c c/trace/stack_text.h | setup
	@mkdir -p $(TEST_OUT)
	cc $(WARNINGS) -O1 -g -Ic -o $@ test/c/stack_parse_main.c c/trace/stack_text.c

# Each fuzzer for so many seconds, random programs for four times as many; `make test` runs a slice of
# them (test/unit/fuzz.test.js and test/unit/instrument-language.test.js).
FUZZ_SECONDS ?= 300
fuzz: $(FUZZERS)
	@for fuzzer in $(FUZZERS); do echo "== $$fuzzer"; \
	  $$fuzzer -max_total_time=$(FUZZ_SECONDS) -print_final_stats=1 -artifact_prefix=$(TEST_OUT)/ \
	    || exit 1; done
	@echo "== test/fuzz/instrument.mjs"
	@node test/fuzz/instrument.mjs --seconds $$((4 * $(FUZZ_SECONDS)))

# Conformance: each row of the specification's table -> its test -> native and polyfill, by browser.
conformance: build
	node test/conformance.js

# Figures -----------------------------------------------------------------------------------------

$(OUT)/fxprof-bench: test/bench/support/fxprof.c $(OUT)/lib/libfxprof.a
	cc $(WARNINGS) -O2 -Ic -o $@ $^ -lz

$(OUT)/fxprof-bench.wasm: test/bench/support/fxprof.c $(FXPROF_WASM) $(FXPROF_HEADERS) Makefile | setup
	clang --target=wasm32-wasi $(WARNINGS) -O3 -Ic -o $@ $< $(FXPROF_WASM)

bench: build $(OUT)/fxprof-bench $(OUT)/fxprof-bench.wasm
	@for bench in test/bench/*.mjs; do echo "== $$bench"; node $$bench $(BENCH_FLAGS) || exit 1; done

# SECONDS in each browser, one after the other.
SOAK_SECONDS ?= 600
soak: build
	node test/soak.js $(SOAK_SECONDS)

size: build
	@node js/build/sizes.js

clean:
	rm -rf $(OUT)

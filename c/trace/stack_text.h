/*
 * Reading the text of `error.stack`.
 *
 * Three living engines, three ways to print a stack; all that follows is read from the text of one
 * line, never from what stands around it:
 *
 *   V8            header? { "\n" blanks "at " ["async "] frame }
 *     frame       = call " (" place ")"  |  place
 *     call        = ["new "] name [" [as " method "]"]
 *     place       = url [":" line [":" column]]  |  "<anonymous>"  |  "native"  |  "index " number
 *                 | "eval at " name " (" place ")" ", " place
 *                 | [url ":"] "wasm-function[" index "]" [":0x" offset]
 *
 *   SpiderMonkey  { [cause "*"] [name] "@" place "\n" }
 *     place       = url ":" line [":" column]              (old: line only, name "(" arguments ")")
 *                 | url " line " number " > " word ":" line ":" column         (eval, nests)
 *                 | url ":wasm-function[" index "]:0x" offset
 *
 *   JavaScriptCore  { ["async "] [name] "@" [place] "\n" }  (old: no "@" beside nothing)
 *     place       = url ":" line ":" column  |  "[native code]"  |  "[wasm code]"
 *                 | [module ":"] "wasm-function[" index "]"
 *
 * Names and URLs may hold anything, also "@", " (", ":1:2" and whole frames. Therefore:
 *   - the position is always the last two numbers of the line;
 *   - in V8 the place is what the last ")" of the line closes; where a URL's own parentheses do not
 *     balance, it starts at the last " (" before something that is plainly a URL;
 *   - elsewhere the place starts at the last "@" before something that is plainly a URL (or one of
 *     the engine's own words); where there is none, at the first "@" outside of double quotes.
 *
 * Nothing is allocated or copied, time is linear in the length of the text, no byte outside of it
 * is read, and every view handed out lies inside it. Text is meant to be UTF-8; any bytes will do.
 */
#ifndef TRACE_STACK_TEXT_H
#define TRACE_STACK_TEXT_H

#include <stdbool.h>
#include <stdint.h>

typedef enum {
  STACK_ENGINE_V8 = 1,
  STACK_ENGINE_SPIDERMONKEY = 2,
  STACK_ENGINE_JSC = 3,
  STACK_ENGINE_OTHER = 4 /* engines of the past, hybrids: any form; see stack_text.c */
} stack_engine;

typedef enum {
  STACK_LINE_SKIP = 0, /* not a frame: a header, a blank line, junk, half of a broken frame */
  STACK_LINE_FRAME,
  STACK_LINE_NATIVE, /* a built-in function */
  STACK_LINE_EVAL,   /* code without a file of its own */
  STACK_LINE_WASM,
  STACK_LINE_ASYNC /* waits for the frames above it; is not on the execution stack */
} stack_line_kind;

typedef struct {
  stack_line_kind kind;
  const char *name;  /* without "new ", "async ", " [as x]" and cause; NULL when not a frame */
  uint32_t name_len; /* 0: anonymous */
  /* The location as printed. In one hybrid form the scheme stands apart, `scheme:(//rest:1:2)`:
     then url is `//rest` and url_scheme the `scheme:` to put before it; else it is empty. */
  const char *url;
  uint32_t url_len;
  const char *url_scheme;
  uint32_t url_scheme_len;
  bool has_url; /* false for <anonymous>, native, [native code], [wasm code], nothing */
  bool has_line, has_column;
  bool is_constructor;    /* V8's "new " */
  uint64_t line, column;  /* as printed, saturated; 0 when absent */
  bool has_wasm_function; /* wasm_function and wasm_offset tell something */
  uint64_t wasm_function, wasm_offset;
} stack_line;

/*
 * Reads one line into *out, all of which is set. `text` may hold "\n" (a function's name may).
 * Never fails: what is no frame comes back as STACK_LINE_SKIP, its name NULL. (JavaScriptCore of
 * 2015 prints a nameless function of eval code as a blank line: SKIP with an empty name.)
 */
void stack_line_parse(stack_engine engine, const char *text, uint32_t len, stack_line *out);

/* The lines of a whole `error.stack` that are still to be read. */
typedef struct {
  const char *at, *end;
} stack_lines;

/*
 * Takes the next line, innermost first; false at the end. Lines that are no frames are told too,
 * also V8's header; only an empty last line is not. Nothing that comes below a line which reads as
 * ASYNC is on the execution stack.
 *
 * A line ends at "\n", also when a function's name holds it. The halves of such a frame are skipped
 * (V8) or one is and the other keeps the right place under the end of the name. What no reader can
 * tell is a name made to look like frames all through: "x@url:1:2\ny" becomes two frames.
 */
bool stack_lines_next(stack_lines *lines, const char **line, uint32_t *len);

/*
 * The name Chromium's native Profiler reports for the same function: its static ES name, '' for
 * anonymous, computed and symbol-keyed functions and for top-level code. *name views into the line.
 *
 *   V8              Object.$_x9, Kit.build -> $_x9, build    get x, #p, f -> the same
 *                   shop.cart.add, shop.<computed>, [Symbol.iterator], Object.<anonymous> -> ''
 *   SpiderMonkey    get x, #p, f -> the same                 a.b.c, a["x"], outer/<, i< -> ''
 *   JavaScriptCore  anything else -> the same                global code, eval code, ... -> ''
 *
 * What the text cannot tell, and how it is taken:
 *   - V8 prints `Shop.pay` for a method of class Shop (native: pay) and for `Shop.pay = function`
 *     (native: ''), `shop.add` for a method of a class in lower case (add) and for
 *     `shop.add = function` (''). Capital letter: a type, so pay; else a guess, so ''.
 *   - A literal method name that looks like a guess, `'a.b'() {}`, is taken for the guess.
 *   - JavaScriptCore does not print the `get ` of accessors, nor names of symbol-keyed functions.
 *   - A name given at run time (a computed string key, defineProperty, displayName) is printed and
 *     taken for the static one.
 */
void stack_bare_name(stack_engine engine, const stack_line *line, const char **name, uint32_t *len);

#endif

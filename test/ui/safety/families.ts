// Texts that a terminal obeys, hides or draws in the wrong place: each family in a few of its forms, and what
// finds them in a text of a component and in the bytes of the console.

/** The text continues after each of them; unfinished forms come last, because they consume the rest of their line. */
export const families: Readonly<Record<string, string>> = {
  CSI: '\u001b[2J\u001b[3J\u001b[1;1H\u001b[?1049l\u001b[6n\u001b[5i\u001b[!p\u001b[20t',
  'hidden text': '\u001b[8m\u001b[5m\u001b[38;5;1;8m',
  'a colour': '\u001b[31m',
  'OSC 0': '\u001b]0;owned\u001b\\',
  'OSC 2': '\u001b]2;owned\u0007',
  'OSC 8': '\u001b]8;;http://owned.example\u0007',
  'OSC 9': '\u001b]9;owned\u0007',
  'OSC 11': '\u001b]11;?\u001b\\',
  'OSC 52': '\u001b]52;c;b3duZWQ=\u0007',
  'OSC 777': '\u001b]777;notify;owned;owned\u0007',
  'OSC 1337': '\u001b]1337;File=inline=1:b3duZWQ=\u0007',
  DCS: '\u001bP$q"p\u001b\\',
  SOS: '\u001bXowned\u001b\\',
  PM: '\u001b^owned\u001b\\',
  APC: '\u001b_Gi=1;b3duZWQ=\u001b\\',
  SS2: '\u001bN',
  SS3: '\u001bO',
  'two bytes': '\u001bc\u001b#8\u001b(0\u001b=\u001b7\u001b8\u001bM\u001bD\u001bE',
  'escape before escape': '\u001b\u001b[2J',
  'CSI of one byte': '\u009b2J\u009b31m',
  'OSC of one byte': '\u009d0;owned\u009c',
  'DCS of one byte': '\u0090qowned\u009c',
  'SOS, PM and APC of one byte': '\u0098owned\u009c\u009eowned\u009c\u009fowned\u009c',
  'SS2 and SS3 of one byte': '\u008e\u008f',
  'IND, NEL, HTS and RI': '\u0084\u0085\u0088\u008d',
  CR: '\r',
  BS: '\b\b\b',
  DEL: '\u007f',
  BEL: '\u0007',
  'NUL, VT, FF, SO and SI': '\u0000\u000b\u000c\u000e\u000f',
  tab: '\t',
  'line and paragraph separators': '\u2028\u2029',
  'bidi overrides': '\u202a\u202b\u202d\u202e\u202c',
  'bidi isolates': '\u2066\u2067\u2068\u2069',
  'bidi marks': '\u200e\u200f\u061c',
  'zero width': '\u200b\u200c\u200d\u2060\ufeff',
  invisible: '\u00ad\u034f\u115f\u1160\u3164\uffa0\u180e\u206a\ufff9\u{1bca0}\u{1d173}',
  'variation selectors': '\ufe00\ufe0c\ufe0e\ufe0f\ufe0f\u{e0100}',
  tags: '\u{e0001}\u{e0041}\u{e007f}',
  'lone surrogates': '\ud800x\udfff',
  'marks without end': `e${'\u0301\u0489\u20dd'.repeat(60)}`,
  'wide characters': '日本👩‍👩‍👧‍👦ｗ',
}

const named = new Set<string>()

/** The names of all sources so far. */
export const madeSources: ReadonlySet<string> = named

/** A text with every family, and the name of its source at both ends, so that the source of any part can be found. */
export const hostile = (source: string, { lines = false } = {}): string => {
  named.add(source)
  const name = `evil-${source}.`
  return `${name}${Object.values(families).join(lines ? `.\n${name}` : '.')}.${name}end\u001b]52;c;b3duZWQ=`
}

/** As much of it as fits into this many characters. */
export const shortHostile = (source: string, room: number): string => {
  named.add(source)
  const kept: string[] = [`evil-${source}.`]
  for (const family of Object.values(families)) if (kept.join('.').length + family.length < room - 20) kept.push(family)
  return `${kept.join('.')}.evil-${source}.`.slice(0, room)
}

/** The longest id of an agent is short; a form of every family would not fit. */
export const agentName = (source: string): string => `evil-${source}.\u001b[2J\u202e\u009b3J\r\u200b\u0007\u0301x`

export const messageName = 'evil-message.\u001b[2J\u202e'

/** The codes that may colour a text; everything else that starts with an escape is foreign. */
// oxlint-disable-next-line no-control-regex -- what is looked for
const sgr = /\u001b\[(?!\d*;*[568](?:;|m))[0-9;:]*m/g

const unclean =
  // oxlint-disable-next-line no-control-regex -- what is looked for
  /[\u0000-\u001f\u007f-\u009f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|(?![\ufe0e\ufe0f])[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Zl}\p{Zp}]|\p{M}{6}/u

/** The part of a component's text that a terminal would not simply draw, with its surroundings; empty if there is none. */
export const uncleanIn = (text: string): string => {
  const bare = text.replace(sgr, '')
  const at = bare.search(unclean)
  return at < 0 ? '' : JSON.stringify(bare.slice(Math.max(0, at - 30), at + 20))
}

// The grammar of the console's output: its own sequences and nothing else.

const pieces = [
  // Colours and weights; nothing hidden, nothing that blinks.
  '\\[(?:0|1|2|3|4|7|9|2[1-4]|27|29|[34][0-79]|9[0-7]|10[0-7]|[34]8;5;\\d{1,3}|[34]8;2;\\d{1,3};\\d{1,3};\\d{1,3}|;)*m',
  // Cursor moves, and erasing after the cursor.
  '\\[\\d*[ABCDEFG]',
  '\\[(?:\\d+;\\d+)?H',
  '\\[[02]?[JK]',
  // The cursor, the alternate screen, synchronised output, bracketed paste and the mouse.
  '\\[\\?(?:25|1049|2004|2026|1000|1002|1003|1006|1004|7)[hl]',
]

/** The question for the background, and the notifications of a terminal, whose words are the program's own. */
const strings = [
  '\\]11;\\?(?:\\u0007|\\u001b\\\\)',
  '\\](?:9;|777;notify;)[^\\u0000-\\u001f\\u007f-\\u009f]*(?:\\u0007|\\u001b\\\\)',
]

const own = new RegExp(`\\u001b(?:${[...pieces, ...strings].join('|')})|[\\r\\n\\u0007]`, 'gu')

/** The last piece may end in the middle of a sequence. */
// oxlint-disable-next-line no-control-regex -- escape sequences are what this is about
const unfinished = /\u001b(?:\[[?0-9;]*)?$/

const foreign =
  // oxlint-disable-next-line no-control-regex -- what must not be there
  /[\u0000-\u001f\u007f-\u009f]|[\ud800-\udfff]|(?![\ufe0e\ufe0f])[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Zl}\p{Zp}]|\p{M}{6}/u

/**
 * The part of a terminal's bytes that is not the console's own, with the words around it as a hint of its origin;
 * empty if there is none.
 */
export const foreignIn = (written: string): string => {
  const text = written.replace(unfinished, '').replace(own, '')
  const at = text.search(foreign)
  return at < 0 ? '' : JSON.stringify(text.slice(Math.max(0, at - 60), at + 60))
}

import type { Key } from 'ink'

/** One key: a name such as `enter`, `ctrl-c`, `page-down`, or the letter itself. */
export type Stroke = string

const named: readonly (readonly [keyof Key, Stroke])[] = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['pageUp', 'page-up'],
  ['pageDown', 'page-down'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['escape', 'escape'],
  ['backspace', 'backspace'],
  ['delete', 'backspace'],
]

/** Names of keys that are not letters, also for the configuration. */
export const strokeNames: readonly Stroke[] = [
  ...new Set([...named.map(([, name]) => name), 'tab', 'shift-tab', 'shift-left', 'shift-right']),
]

/** The rest of an escape sequence that Ink does not know, which was not typed. None ends with the bracket it begins with. */
const unknownSequence = /^\[[0-9;:<=>?]*[ -/]*[@-Z\\-~]$/

/**
 * The keys in one piece of input. Fast typing arrives as one piece ('jki', 'j\r'), and so does Esc with the following
 * letter, which looks like that letter with Alt.
 */
export const strokesOf = (input: string, key: Key): readonly Stroke[] => {
  if (key.eventType === 'release') return []
  // Esc with the following key in one piece looks like that key with Alt.
  if (key.tab) return [...(key.meta ? ['escape'] : []), key.shift ? 'shift-tab' : 'tab']
  if (key.return && key.meta) return ['escape', 'enter']
  if (key.shift && key.leftArrow) return ['shift-left']
  if (key.shift && key.rightArrow) return ['shift-right']
  const name = named.find(([flag]) => key[flag])
  if (name) return [name[1]]
  if (key.ctrl) return input === '' ? [] : [`ctrl-${input}`]
  if (input.length > 1 && unknownSequence.test(input)) return []
  const letters = [...input].map(letter)
  return key.meta ? ['escape', ...letters] : letters
}

const controls: Readonly<Record<string, Stroke>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\u001b': 'escape',
  '\u007f': 'backspace',
  '\b': 'backspace',
}

const letter = (character: string): Stroke => {
  const control = controls[character]
  if (control !== undefined) return control
  return character < ' ' ? `ctrl-${String.fromCharCode(character.charCodeAt(0) + 96)}` : character
}

/** The text that a key types, or undefined if it types none. */
export const typedBy = (stroke: Stroke): string | undefined => ([...stroke].length === 1 ? stroke : undefined)

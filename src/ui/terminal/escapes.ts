// A key such as ↑ is Esc followed by letters. On a slow line they may arrive separately, and so may Esc and a letter.

/** Milliseconds for which an Esc waits for its letters, as in Ink. */
const NEARBY = 20

/** On a line over the network. */
const OVER_NETWORK = 150

/**
 * For a sequence that has continued after its bracket, which a person does not type: no key waits for it. A line that
 * lost a packet delivers the rest a second later, and the rest of a mouse report, or of the beginning of a paste, would
 * be processed as keys.
 */
const OF_A_TERMINAL = 2_000

/** The longest allowed wait. */
const LONGEST = 10_000

/** Curses programs use ESCDELAY as well. */
export const escapeDelay = (environment: NodeJS.ProcessEnv): number => {
  const told = environment['ESCDELAY'] ?? ''
  if (/^\d{1,6}$/.test(told)) return Math.max(NEARBY, Math.min(LONGEST, Number(told)))
  return environment['SSH_TTY'] || environment['SSH_CONNECTION'] ? OVER_NETWORK : NEARBY
}

/* oxlint-disable no-control-regex -- escape sequences are what this file is about */

/** A sequence at the end of a piece that may continue. */
const sequenceBegun = /\u001b(?:\[[0-?]*[ -/]*|O)?$/

const beyondBracket = /^\u001b\[[0-?]/

/**
 * Text that a person never types after an Esc or a bracket in one piece: the beginning and the end of a paste, and a
 * mouse report.
 */
const late = /^\u001b\[(?:20[01]~|<\d{1,4};\d{1,5};\d{1,5}[Mm])/

const pasteEdges = /\u001b\[20([01])~/g

/** The key Esc in the notation of terminals with unambiguous keys: no following text is read as a part of it. */
const keyEsc = '\u001b[27u'

/**
 * An Esc before another sequence was the key. Ink would combine the two: the Esc would be lost, and a following paste
 * would be processed as keys.
 */
const apart = (text: string): string => text.replace(/\u001b(?=\u001b)/g, keyEsc)

/**
 * Reads input and holds back an incomplete sequence until its rest arrives or its time has passed (`delay`, if it may
 * be a key); `wake` is called when there is something to read.
 */
export const holdEscapes = (read: () => string | null, delay: number, wake: () => void): (() => string | null) => {
  let held = ''
  /** An incomplete sequence that was passed on. */
  let cut = ''
  let ripe = false
  /** During a paste there are no keys: an Esc begins its end. */
  let pasting = false
  let timer: NodeJS.Timeout | undefined
  return () => {
    const piece = read()
    if (piece === null && !ripe) return null
    clearTimeout(timer)
    const lost = piece !== null && late.test(cut + piece) ? cut : ''
    const text = apart(lost + held + (piece ?? ''))
    cut = piece === null ? held : ''
    held = piece === null ? '' : (sequenceBegun.exec(text)?.[0] ?? '')
    ripe = false
    const whole = text.slice(0, text.length - held.length)
    for (const [, edge] of whole.matchAll(pasteEdges)) pasting = edge === '0'
    if (held !== '') {
      const patience = pasting || beyondBracket.test(held) ? Math.max(delay, OF_A_TERMINAL) : delay
      timer = setTimeout(() => {
        ripe = true
        wake()
      }, patience)
    }
    // No more input has followed it, so Ink need not wait again.
    return whole === '\u001b' ? keyEsc : whole
  }
}

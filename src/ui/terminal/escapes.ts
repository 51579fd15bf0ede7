// A key such as ↑ is Esc with letters behind it. On a slow line they may come one after the other, and so may Esc and a letter.

/** Milliseconds that an Esc waits for its letters everywhere, as Ink would by itself. */
const NEARBY = 20

/** On a line over the network. */
const OVER_NETWORK = 150

/**
 * For a sequence that has come beyond its bracket, which nobody types by hand: no key of a person waits for it. A line that
 * lost a packet brings the rest a second later, and that of a report of the mouse, or of the beginning of a paste, would press keys.
 */
const OF_A_TERMINAL = 2_000

/** The longest that anybody may want to wait. */
const LONGEST = 10_000

/** ESCDELAY is what curses programs go by as well. */
export const escapeDelay = (environment: NodeJS.ProcessEnv): number => {
  const told = environment['ESCDELAY'] ?? ''
  if (/^\d{1,6}$/.test(told)) return Math.max(NEARBY, Math.min(LONGEST, Number(told)))
  return environment['SSH_TTY'] || environment['SSH_CONNECTION'] ? OVER_NETWORK : NEARBY
}

/* eslint-disable no-control-regex -- escape sequences are what this file is about */

/** A sequence at the end of a piece that may go on. */
const begun = /\u001b(?:\[[0-?]*[ -/]*|O)?$/

const beyondBracket = /^\u001b\[[0-?]/

/** What a person never types behind an Esc or a bracket in one piece: the beginning and the end of a paste, and a report of the mouse. */
const late = /^\u001b\[(?:20[01]~|<\d{1,4};\d{1,5};\d{1,5}[Mm])/

const pasteEdges = /\u001b\[20([01])~/g

/** The key Esc as terminals write it that tell keys apart: nothing behind it is taken for a part of it. */
const keyEsc = '\u001b[27u'

/** Esc before another sequence was the key. Ink would take the two for one: the Esc would be lost, and a paste behind it press keys. */
const apart = (text: string): string => text.replace(/\u001b(?=\u001b)/g, keyEsc)

/**
 * What is read, with a sequence that has only begun kept back until the rest has come or its time is over (`delay`, where it
 * may be a key), when `wake` tells that there is something to read.
 */
export const holdEscapes = (read: () => string | null, delay: number, wake: () => void): (() => string | null) => {
  let held = ''
  /** What was handed on as it was, since its rest had not come. */
  let cut = ''
  let ripe = false
  /** Between the beginning and the end of a paste nobody presses keys: an Esc there begins the end. */
  let pasting = false
  let timer: NodeJS.Timeout | undefined
  return () => {
    const piece = read()
    if (piece === null && !ripe) return null
    clearTimeout(timer)
    const lost = piece !== null && late.test(cut + piece) ? cut : ''
    const text = apart(lost + held + (piece ?? ''))
    cut = piece === null ? held : ''
    held = piece === null ? '' : (begun.exec(text)?.[0] ?? '')
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
    // Nothing more has come behind it, so Ink need not wait once more.
    return whole === '\u001b' ? keyEsc : whole
  }
}

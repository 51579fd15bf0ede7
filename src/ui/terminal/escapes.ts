// A key such as ↑ is Esc with letters behind it. On a slow line they may come one after the other, and so may Esc and a letter.

/** Milliseconds that an Esc waits for its letters on a line over the network, beside the 20 that Ink waits everywhere. */
const OVER_NETWORK = 150

/** The longest that anybody may want to wait. */
const LONGEST = 10_000

/** ESCDELAY is what curses programs go by as well. */
export const escapeDelay = (environment: NodeJS.ProcessEnv): number => {
  const told = environment['ESCDELAY'] ?? ''
  if (/^\d{1,6}$/.test(told)) return Math.min(LONGEST, Number(told))
  return environment['SSH_TTY'] || environment['SSH_CONNECTION'] ? OVER_NETWORK : 0
}

/* eslint-disable no-control-regex -- escape sequences are what this file is about */

/** A sequence at the end of a piece that may go on. */
const begun = /\u001b(?:\[[0-?]*[ -/]*|O)?$/

/**
 * What is read, with a sequence that has only begun kept back until the rest has come or `delay` is over, when `wake` tells
 * that there is something to read.
 */
export const holdEscapes = (read: () => string | null, delay: number, wake: () => void): (() => string | null) => {
  if (delay === 0) return read
  let held = ''
  let ripe = false
  let timer: NodeJS.Timeout | undefined
  return () => {
    const piece = read()
    if (piece === null && !ripe) return null
    clearTimeout(timer)
    // Esc before another sequence was the key: written as that, the two are not taken for one.
    const text = (held === '\u001b' && piece?.startsWith('\u001b') ? '\u001b[27u' : held) + (piece ?? '')
    held = piece === null ? '' : (begun.exec(text)?.[0] ?? '')
    ripe = false
    if (held !== '') {
      timer = setTimeout(() => {
        ripe = true
        wake()
      }, delay)
    }
    return text.slice(0, text.length - held.length)
  }
}

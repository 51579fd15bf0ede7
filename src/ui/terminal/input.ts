import { holdEscapes } from './escapes.ts'
import { type MouseEvent, mouseEventOf } from './mouse.ts'

// Separates a terminal's other input from keys: the colour of its background, and the mouse.

/** Standard input for Ink, without answers to queries. */
export interface InputTap {
  readonly stdin: NodeJS.ReadStream
  /** Reads as Ink would, for an earlier reader. */
  readonly read: () => string | null
  /** Expects the answers to the queries for the background and for the terminal's type, which ends the wait. */
  readonly expect: (told: { readonly colour: (colour: string) => void; readonly kind: () => void }) => void
  onMouse: (event: MouseEvent) => void
}

/** `patience`: milliseconds for which the beginning of a key waits for its rest. */
export const tapInput = (stdin: NodeJS.ReadStream, patience: number): InputTap => {
  let asked: Parameters<InputTap['expect']>[0] | undefined
  const answers = makeAnswers()
  const mouse = makeMouse()
  const read = (): string | null => {
    const piece = stdin.read() as string | Buffer | null
    if (piece === null) return null
    const { rest, colour, kind } = answers(piece.toString(), asked !== undefined)
    if (colour !== undefined) asked?.colour(colour)
    if (kind) {
      asked?.kind()
      asked = undefined
    }
    for (const event of mouse(rest)) tap.onMouse(event)
    return rest
  }
  const readKeys = holdEscapes(read, patience, () => stdin.emit('readable'))
  const tap: InputTap = {
    // Ink reads when there is input, and does not while another program has the terminal; the same applies here.
    stdin: new Proxy(stdin, {
      get: (target, property) => {
        if (property === 'read') return readKeys
        const value: unknown = Reflect.get(target, property, target)
        return typeof value === 'function' ? (value.bind(target) as unknown) : value
      },
    }),
    read,
    expect: (told) => (asked = told),
    onMouse: () => {},
  }
  return tap
}

/* oxlint-disable no-control-regex -- escape sequences are what this file is about */

const colourAnswer = /\u001b\]11;([^\u0007\u001b]{1,64})(?:\u0007|\u001b\\)/
const kindAnswer = /\u001b\[\?[\d;]*c/
/** The beginning of an answer at the end of a piece; Esc alone is a key. */
const answerBegun = /\u001b\](?:1(?:1(?:;[^\u0007\u001b]{0,64}\u001b?)?)?)?$|\u001b\[\?[\d;]*$/

interface Answers {
  /** The remaining input for Ink. */
  readonly rest: string
  readonly colour: string | undefined
  readonly kind: boolean
}

/**
 * Removes the answers from the input, also if they arrive in pieces or late: Ink would pass the colour on as typed
 * letters.
 */
const makeAnswers = (): ((piece: string, asked: boolean) => Answers) => {
  let held = ''
  /** An Esc that was already passed to Ink, because it may have been the key. */
  let escaped = false
  return (piece, asked) => {
    if (!asked && held === '') return { rest: piece, colour: undefined, kind: false }
    const lent = escaped ? '\u001b' : ''
    const text = lent + held + piece
    const colour = colourAnswer.exec(text)
    const without = colour ? text.replace(colour[0], '') : text
    const kind = kindAnswer.exec(without)
    const rest = kind ? without.replace(kind[0], '') : without
    const tail = answerBegun.exec(rest)?.[0] ?? ''
    const whole = rest.slice(0, rest.length - tail.length)
    // Text that was passed on is not passed on twice.
    const stillLent = lent !== '' && tail !== '' && whole === ''
    held = stillLent ? tail.slice(1) : tail
    escaped = stillLent || whole.endsWith('\u001b')
    return {
      rest: lent !== '' && !stillLent && text.startsWith(lent) && whole.startsWith(lent) ? whole.slice(1) : whole,
      colour: colour?.[1],
      kind: kind !== null,
    }
  }
}

const reports = /\u001b\[20([01])~|\u001b\[<(\d{1,4});(\d{1,5});(\d{1,5})([Mm])/g
const reportBegun = /\u001b(?:\[(?:2(?:0[01]?)?|<[\d;]{0,16})?)?$/

/** Parses mouse reports, which Ink drops itself. Pasted text is text, whatever it looks like. */
const makeMouse = (): ((piece: string) => readonly MouseEvent[]) => {
  let held = ''
  let pasting = false
  return (piece) => {
    const text = held + piece
    held = reportBegun.exec(text)?.[0] ?? ''
    const events: MouseEvent[] = []
    for (const [, paste, button, column, row, end] of text.matchAll(reports)) {
      if (paste !== undefined) pasting = paste === '0'
      else if (!pasting) {
        const event = mouseEventOf(Number(button), Number(column), Number(row), end === 'M')
        if (event) events.push(event)
      }
    }
    return events
  }
}

import type { StoreApi } from 'zustand/vanilla'
import type { Tone } from '../../../components/base/look.ts'
import type { ConsoleServices } from '../../contracts/console.ts'
import type { OnTerminal } from '../../contracts/conversation.ts'
import { asRefusal } from '../../domain/rules/system-error.ts'
import type { Connection } from '../../operations/perform/core.ts'
import type { Operation } from '../../operations/perform/operation.ts'
import { act, perform } from '../../operations/perform/perform.ts'
import { consoleText } from '../../text/panes.ts'
import { notRemembered } from '../../text/settings.ts'
import { type Kept, keptOf } from './console-memory.ts'
import { noticed } from './reducers.ts'
import type { ConsoleState, Transition } from './state.ts'

/** The dependencies of a key press. Nothing here waits: the result of an operation arrives as a notice. */
export interface Controller {
  readonly connection: Connection
  readonly state: () => ConsoleState
  readonly change: (transition: Transition) => void
  readonly tell: (text: string, tone?: Tone) => void
  readonly perform: <O extends Operation>(
    operation: O,
    input: InputOf<O>,
    receipt: (output: OutputOf<O>) => Receipt,
    refused?: () => void,
  ) => void
  /** Reads data for the next step. */
  readonly read: <O extends Operation>(operation: O, input: InputOf<O>, next: (output: OutputOf<O>) => void) => void
  /** Reads from the outside for the next step. */
  readonly askOutside: <T>(at: (outside: Connection['outside']) => Promise<T>, next: (seen: T) => void) => void
  /** Reads the board again in the next turn. */
  readonly refresh: () => void
  /** Saves a value for this console and the next. */
  readonly keep: (change: (kept: Kept) => Partial<Kept>) => void
  /** Copies a text to the clipboard of the terminal. */
  readonly copy: (text: string) => void
  readonly openShell: (folder: string) => void
  readonly openEditor: (path: string) => void
  /** Runs a program on the terminal, such as the CLI's own one on a conversation; `next` runs when the person has left it. */
  readonly openTaken: (program: OnTerminal, next: () => void) => void
  /** Opens the person's editor on a text; `next` gets the saved text. */
  readonly editText: (text: string, next: (text: string) => void) => void
  /** Returns the terminal to the shell until the console is continued. */
  readonly suspend: () => void
  /** Draws the whole screen again, over output of other programs. */
  readonly redraw: () => void
  readonly quit: () => void
  /** True after the console was quit: later keys are meant for the shell. */
  readonly isLeaving: () => boolean
}

/** The message after an operation; its tone tells if the operation did not have the desired effect. */
export type Receipt = string | { readonly text: string; readonly tone: Tone }

/** The input and the output of an operation. */
export type InputOf<O extends Operation> = O['input']['_zod']['input']
export type OutputOf<O extends Operation> = O['output']['_zod']['output']

/** The parts that only the running console can provide. */
type ConsoleParts = Pick<Controller, 'refresh' | 'openShell' | 'openEditor' | 'quit'> & {
  readonly memory?: ConsoleOptions['memory']
  readonly copy?: Controller['copy']
  readonly editText?: Controller['editText']
  readonly openTaken?: Controller['openTaken']
  readonly suspend?: Controller['suspend']
  readonly redraw?: Controller['redraw']
}

export const makeController = (
  connection: Connection,
  store: StoreApi<ConsoleState>,
  parts: ConsoleParts,
): Controller => {
  let leaving = false
  const change = (transition: Transition): void => store.setState(transition, true)
  const tell = (text: string, tone: Tone = 'told'): void => change(noticed(text, tone))
  const tellError = (error: unknown): void => tell(sentenceOf(error), asRefusal(error) ? 'refused' : 'bug')
  return {
    connection,
    state: store.getState,
    change,
    tell,
    perform: (operation, input, receipt, refused) => {
      void act(connection, operation, input)
        .then(
          (output) => {
            const said = receipt(output)
            if (typeof said === 'string') tell(said, 'done')
            else tell(said.text, said.tone)
          },
          (error: unknown) => {
            refused?.()
            tellError(error)
          },
        )
        .finally(parts.refresh)
    },
    read: (operation, input, next) =>
      void perform(connection.core, operation, input, connection.actor)
        .then((output) => next(output as never))
        .catch(tellError),
    askOutside: (at, next) => void at(connection.outside).then(next).catch(tellError),
    keep: (remember) => {
      change((state) => ({ ...state, kept: { ...state.kept, ...remember(state.kept) } }))
      try {
        parts.memory?.write((before) => ({ ...remember(keptOf(before)) }))
      } catch (error) {
        tell(notRemembered(error instanceof Error ? error.message : String(error)), 'refused')
      }
    },
    copy: () => {},
    editText: () => {},
    openTaken: () => {},
    suspend: () => {},
    redraw: () => {},
    ...parts,
    quit: () => {
      leaving = true
      parts.quit()
    },
    isLeaving: () => leaving,
  }
}

/** The sentence of a refusal; any other error is a bug and is reported as one. */
export const sentenceOf = (error: unknown): string => {
  const refusal = asRefusal(error)
  if (refusal) return refusal.message
  return consoleText.bug(error instanceof Error ? error.message : String(error))
}

/** The console's dependencies from main.ts. */
export interface ConsoleOptions extends ConsoleServices {
  readonly connection: Connection
}

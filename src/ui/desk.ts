import type { StoreApi } from 'zustand/vanilla'
import { asRefusal } from '../domain/system-error.ts'
import type { Connection } from '../operations/kernel/outside.ts'
import { act, perform } from '../operations/kernel/perform.ts'
import type { Operation } from '../operations/kernel/operation.ts'
import type { Tone } from '../../components/look.ts'
import { noticed } from './arrivals.ts'
import type { ConsoleOptions } from './console-options.ts'
import { type Kept, keptOf } from './kept.ts'
import type { ConsoleState, Transition } from './state.ts'
import { consoleText } from '../text/actions.ts'
import { notRemembered } from '../text/comfort.ts'

/** What a key press has in hand. Nothing here waits: what an operation answers comes back as a notice. */
export interface Desk {
  readonly connection: Connection
  readonly state: () => ConsoleState
  readonly change: (transition: Transition) => void
  readonly tell: (text: string, tone?: Tone) => void
  readonly perform: <O extends Operation>(operation: O, input: InputOf<O>, receipt: (output: OutputOf<O>) => Receipt, refused?: () => void) => void
  /** Reads something for what comes next. */
  readonly read: <O extends Operation>(operation: O, input: InputOf<O>, next: (output: OutputOf<O>) => void) => void
  /** Looks at the world outside for what comes next. */
  readonly look: <T>(at: (outside: Connection['outside']) => Promise<T>, next: (seen: T) => void) => void
  /** Reads the board anew at the next turn. */
  readonly refresh: () => void
  /** Remembers something for this console and the next. */
  readonly keep: (change: (kept: Kept) => Partial<Kept>) => void
  /** Hands a text to the clipboard of the terminal. */
  readonly copy: (text: string) => void
  readonly openShell: (folder: string) => void
  readonly openEditor: (path: string) => void
  /** Gives the terminal back to the shell until it is told to go on. */
  readonly suspend: () => void
  /** Draws the screen anew, whatever others have written there. */
  readonly redraw: () => void
  readonly quit: () => void
  /** The console was quit: what is typed behind that is meant for the shell. */
  readonly isLeaving: () => boolean
}

/** What is told when an operation is done; one that was done and yet did not get its way says so by its tone. */
export type Receipt = string | { readonly text: string; readonly tone: Tone }

/** What an operation is given and what it answers. */
export type InputOf<O extends Operation> = O['input']['_zod']['input']
export type OutputOf<O extends Operation> = O['output']['_zod']['output']

/** The parts that only the running console can give. */
export type Doors = Pick<Desk, 'refresh' | 'openShell' | 'openEditor' | 'quit'> & {
  readonly memory?: ConsoleOptions['memory']
  readonly copy?: Desk['copy']
  readonly suspend?: Desk['suspend']
  readonly redraw?: Desk['redraw']
}

export const makeDesk = (connection: Connection, store: StoreApi<ConsoleState>, doors: Doors): Desk => {
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
        .finally(doors.refresh)
    },
    read: (operation, input, next) =>
      void perform(connection.core, operation, input, connection.actor)
        .then((output) => next(output as never))
        .catch(tellError),
    look: (at, next) => void at(connection.outside).then(next).catch(tellError),
    keep: (remember) => {
      change((state) => ({ ...state, kept: { ...state.kept, ...remember(state.kept) } }))
      try {
        doors.memory?.write((before) => ({ ...remember(keptOf(before)) }))
      } catch (error) {
        tell(notRemembered(error instanceof Error ? error.message : String(error)), 'refused')
      }
    },
    copy: () => {},
    suspend: () => {},
    redraw: () => {},
    ...doors,
    quit: () => {
      leaving = true
      doors.quit()
    },
    isLeaving: () => leaving,
  }
}

/** A refusal speaks for itself; anything else is a mistake in this program and says so. */
export const sentenceOf = (error: unknown): string => {
  const refusal = asRefusal(error)
  if (refusal) return refusal.message
  return consoleText.bug(error instanceof Error ? error.message : String(error))
}

import type { AskPassword } from '../../../contracts/board-store.ts'
import { askOrNothing } from '../../call/ask-for-name.ts'
import type { Call } from '../../call/command.ts'

/** Asks for the password of the server at a terminal; undefined for a script. */
export const askPasswordOf = (call: Call): AskPassword | undefined =>
  call.json || !call.streams.stdinIsTerminal
    ? undefined
    : (login) =>
        askOrNothing(
          call,
          `Password of ${login}: `,
          'The password is kept in ~/.pgpass once the server has accepted it.',
          true,
        )

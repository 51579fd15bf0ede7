import type { AskPassword } from '../../../contracts/board-copy.ts'
import type { Call } from '../../call/command.ts'

/** Asks for the password of the server at a terminal; undefined for a script. */
export const askPasswordOf = ({ streams, json }: Call): AskPassword | undefined =>
  json || !streams.stdinIsTerminal
    ? undefined
    : (login) =>
        streams.ask(
          `Password of ${login}: `,
          'The password is kept in ~/.pgpass once the server has accepted it.',
          true,
        )

import { duration } from '../../domain/words/time.ts'

/** The facts that a person should know of a host that has just joined. */
export const joinedText = ({
  kinds,
  clockAhead,
}: {
  readonly kinds: readonly string[]
  readonly clockAhead: number
}): readonly string[] => [kindsText(kinds), clockText(clockAhead)]

const kindsText = (kinds: readonly string[]): string =>
  kinds.some((kind) => kind !== 'command')
    ? `Agent kinds found here: ${kinds.join(', ')}.`
    : 'No agent CLI was found here, so only tasks with a command run on this host. Install one where the worker finds it (PATH).'

/** Nothing depends on the clock of a host; a person who compares its files and logs with the board should know. */
const clockText = (ahead: number): string =>
  Math.abs(ahead) < 1000
    ? "Its clock agrees with the server's."
    : `Its clock is ${duration(Math.abs(ahead))} ${ahead > 0 ? 'ahead of' : 'behind'} the server's; aiswarm counts by the server's.`

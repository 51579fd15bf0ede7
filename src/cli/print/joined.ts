import { agentsThere } from '../../domain/sandbox/unconfined.ts'
import { duration } from '../../domain/words/time.ts'

/** A host that has just joined, as it found its machine. */
export interface JoinFacts {
  /** The agent kinds that are installed. */
  readonly kinds: readonly string[]
  /** How far its clock is ahead of the server's (ms). */
  readonly clockAhead: number
  /** Why its agents could not reach a worker; null if they can. */
  readonly socketProblem: string | null
  /** The user as which its agents run. */
  readonly agentsAs: string
  /** Why its agents are not confined; null if they are. */
  readonly unconfined: string | null
}

/** The facts that a person should know of it. */
export const joinedText = ({
  kinds,
  clockAhead,
  socketProblem,
  agentsAs,
  unconfined,
}: JoinFacts): readonly string[] => [
  kindsText(kinds),
  clockText(clockAhead),
  `A${agentsThere({ as: agentsAs, unconfined }).slice(1)}.`,
  ...(socketProblem === null
    ? []
    : [
        `Agents here could not reach a worker: ${socketProblem}. Put the clone on a disk of this machine, which has sockets.`,
      ]),
]

const kindsText = (kinds: readonly string[]): string =>
  kinds.some((kind) => kind !== 'command')
    ? `Agent kinds found here: ${kinds.join(', ')}.`
    : 'No agent CLI was found here, so only tasks with a command run on this host. Install one where the worker finds it (PATH).'

/** Nothing depends on the clock of a host; a person who compares its files and logs with the board should know. */
const clockText = (ahead: number): string =>
  Math.abs(ahead) < 1000
    ? "Its clock agrees with the server's."
    : `Its clock is ${duration(Math.abs(ahead))} ${ahead > 0 ? 'ahead of' : 'behind'} the server's; aiswarm counts by the server's.`

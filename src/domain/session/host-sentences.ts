import { countOf, someOf } from '../words/count.ts'
import type { PastEvent } from './past.ts'

type HostSentence = (event: PastEvent, known: { readonly details: Readonly<Record<string, unknown>> }) => string

const namesIn = (value: unknown): readonly string[] => (Array.isArray(value) ? (value as string[]) : [])

const recordsIn = (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? (value as []) : []

/** Where the tasks of a worktree are again that should have continued another one; empty if it continued none. */
const again = (back: unknown): string =>
  typeof back === 'object' && back !== null && 'worktree' in back
    ? `; its tasks are in ${String(back.worktree)} again`
    : ''

const changes: Readonly<Record<string, string>> = { drain: 'drains', resume: 'resumes' }

/** Events of decisions about hosts, and of worktrees that are built. */
export const hostSentences = {
  set_remote: ({ actor }, { details }) => `${actor} sets the git remote of the hosts: ${String(details['remote'])}`,
  change_host: ({ actor }, { details: { host, to } }) =>
    `${actor} ${changes[String(to)] ?? 'changes the settings of'} host ${String(host)}`,
  set_snapshots: ({ actor }, { details: { on } }) =>
    `${actor} ${on === true ? 'allows' : 'forbids'} that uncommitted work is pushed to the git remote`,
  revoke_codes: ({ actor }, { details: { revoked } }) =>
    `${actor} revokes ${countOf(Number(revoked), 'code')} to join the board`,
  declare_restored: ({ actor }, { details: { ended } }) =>
    `${actor} says that the board was restored to an earlier time${namesIn(ended).length === 0 ? '' : `; ${someOf(namesIn(ended), 3)} ended`}`,
  withdraw_run: ({ agentId }, { details: { error } }) => `${agentId ?? ''} could not be started: ${String(error)}`,
  request_move: ({ actor, worktree }, { details: { from, to, stays } }) =>
    stays === true
      ? `${actor} undoes the move of ${worktree ?? ''}; it stays on host ${String(from)}`
      : `${actor} moves ${worktree ?? ''} from host ${String(from)} to ${String(to)}`,
  move_worktree: ({ worktree }, { details: { successor, host } }) =>
    `${String(successor)} continues ${worktree ?? ''} on host ${String(host)}`,
  record_worktree: ({ worktree }, { details: { error, back, rests } }) =>
    typeof error === 'string'
      ? `worktree ${worktree} could not be created: ${error}${again(back)}${rests === true ? '; a host builds it later, with its tasks' : ''}`
      : `worktree ${worktree} is ready`,
  continue_stranded: (_, { details }) =>
    [
      ...recordsIn(details['stayed']).map(
        ({ worktree }) => `${String(worktree)} stays where it is, since a host of its move is lost`,
      ),
      ...recordsIn(details['placed']).map(
        ({ worktree, host }) => `host ${String(host)} builds ${String(worktree)} now`,
      ),
      ...recordsIn(details['continued']).map(
        ({ worktree, successor, host }) => `${String(successor)} continues ${String(worktree)} on host ${String(host)}`,
      ),
    ].join('; '),
  forget_host: ({ actor }, { details: { host, worktrees } }) =>
    `${actor} removes host ${String(host)} from the board${namesIn(worktrees).length === 0 ? '' : `, with ${someOf(namesIn(worktrees), 3)}`}`,
} satisfies Readonly<Record<string, HostSentence>>

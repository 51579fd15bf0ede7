import type { AttentionKind, Waiting } from './attention.ts'
import { shellWord } from '../words/shell-words.ts'

/** The fields of an inbox item that a command line needs. */
type Named = Pick<Waiting, 'kind' | 'taskId' | 'worktree' | 'agentId' | 'requestId' | 'target' | 'host'> & {
  readonly personaId?: string | null
}

/** The command with which a person answers an inbox item. Words for the person to choose are in capitals. */
export const commandFor = (item: Named): string => `aiswarm ${commands[item.kind](item)}`

const commands: Readonly<Record<AttentionKind, (item: Named) => string>> = {
  configuration: ({ host }) => `worktree trust${host === undefined ? '' : ` --host ${shellWord(host)}`}`,
  moved: ({ target = '' }) =>
    `target accept ${shellWord(target)} (or target put-back ${shellWord(target)}; look first: target show ${shellWord(target)})`,
  permission: ({ requestId }) => `request answer ${requestId} --allow (or --deny)`,
  question: ({ requestId }) => `request answer ${requestId} --text ANSWER`,
  denial: ({ requestId }) => `request answer ${requestId} --always (or --deny)`,
  budget: ({ taskId }) =>
    taskId === null ? 'session budget --again (or --stop)' : `task budget ${taskId} --again (or --stop)`,
  command: ({ taskId, personaId }) =>
    `agent spawn --persona ${personaId ?? 'implementer'} --task ${taskId} (or task cancel ${taskId})`,
  unstartable: ({ taskId }) => `doctor (or task cancel ${taskId})`,
  stalled: ({ taskId }) => `task show ${taskId} (or task cancel ${taskId})`,
  approve: ({ worktree }) => `worktree approve ${worktree}`,
  conflict: ({ worktree }) => `worktree reject ${worktree} --reason REASON (look first: worktree show ${worktree})`,
  unverified: ({ worktree }) => `worktree reject ${worktree} --reason REASON (look first: worktree show ${worktree})`,
  failed: ({ taskId }) => `task retry ${taskId} (or task cancel ${taskId})`,
  returned: ({ host = '' }) => `host settle ${shellWord(host)} (look first: host show ${shellWord(host)})`,
  mail: ({ agentId }) => `mail read ${agentId} (look first: mail list)`,
  checkout: () => 'checkout accept (look first: checkout show)',
}

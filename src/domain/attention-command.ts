import type { AttentionKind, Waiting } from './attention.ts'

/** What a command line needs to name the thing that waits. */
type Named = Pick<Waiting, 'kind' | 'taskId' | 'worktree' | 'agentId' | 'requestId'> & { readonly personaId?: string | null }

/** The command with which a person answers what waits for them, as it is typed. Where a word is theirs to choose, it stands in capitals. */
export const commandFor = (item: Named): string => `aiswarm ${commands[item.kind](item)}`

const commands: Readonly<Record<AttentionKind, (item: Named) => string>> = {
  configuration: () => 'worktree trust',
  permission: ({ requestId }) => `request answer ${requestId} --allow (or --deny)`,
  question: ({ requestId }) => `request answer ${requestId} --text ANSWER`,
  denial: ({ requestId }) => `request answer ${requestId} --always (or --deny)`,
  budget: ({ taskId }) => (taskId === null ? 'session budget --again (or --stop)' : `task budget ${taskId} --again (or --stop)`),
  command: ({ taskId, personaId }) => `agent spawn --persona ${personaId ?? 'implementer'} --task ${taskId} (or task cancel ${taskId})`,
  unstartable: ({ taskId }) => `doctor (or task cancel ${taskId})`,
  stalled: ({ taskId }) => `task show ${taskId} (or task cancel ${taskId})`,
  approve: ({ worktree }) => `worktree approve ${worktree}`,
  conflict: ({ worktree }) => `worktree reject ${worktree} --reason REASON (look first: worktree show ${worktree})`,
  unverified: ({ worktree }) => `worktree reject ${worktree} --reason REASON (look first: worktree show ${worktree})`,
  failed: ({ taskId }) => `task retry ${taskId} (or task cancel ${taskId})`,
}

import { someOf } from '../../../domain/words/counts.ts'

/** The sentences of the first start. */
export const startText = {
  title: (root: string) => `aiswarm in ${root}`,
  target: 'Which branch is approved work merged into?',
  onlyTarget: (branch: string) => `Approved work is merged into ${branch}, the only branch.`,
  verify: 'Which command must a merge pass?',
  withSetup: (from: string, setup: string) => `${from}; ${setup} prepares a worktree`,
  other: 'Another command…',
  nothing: 'None',
  nothingHint: 'you can set it later',
  command: 'The shell command',
  agent: 'Which agent does the tasks?',
  login: (loggedIn: boolean) => (loggedIn ? 'logged in' : 'no login found'),
  onlyAgent: (kind: string, loggedIn: boolean) =>
    loggedIn ? `${kind} does the tasks.` : `${kind} does the tasks; no login was found, so log in before you begin.`,
  noAgent: (kinds: readonly string[]) =>
    `No agent CLI was found (${someOf(kinds, 6)}). Tasks with a command run without one; 'aiswarm doctor' says how to install one.`,
  file: (path: string) => `${path} (other keys follow as comments)`,
  write: 'Write this file?',
  yes: 'Yes',
  no: 'No, skip it',
  written: (target: string, verifies: boolean) =>
    verifies ? `Written. Commit it on ${target}, so that the verification counts.` : 'Written.',
  skipped: "Skipped: nothing is written. 'aiswarm init' asks again.",
} as const

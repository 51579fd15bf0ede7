// Changes of the target branch and of the main checkout that aiswarm did not make.

/** The target branch. */
export const movedText = {
  title: (target: string) => `${target} was moved`,
  from: (target: string, from: string, to: string) => `${target} was at ${from} and is now at ${to}.`,
  deleted: (target: string, from: string) => `${target} was at ${from} and was deleted.`,
  created: (target: string, to: string) => `${target} did not exist and is now at ${to}.`,
  why: (agents: string) =>
    `aiswarm did not move it. These agents were running, or had just exited: ${agents}. One of them, you or another program may have moved it.`,
  since: (at: string) => `Noticed at ${at}.`,
  problem: 'Not put back',
  commits: 'Commits',
  more: (n: number) => `… and ${n} more`,
  diff: 'Changes',
  noDiff: 'Both commits have the same files.',
  tooLong: 'The diff is too long to show here. Use git diff.',
  answer: (accept: string, putBack: string) => `${accept} accept the move   ${putBack} put it back   esc back`,
  didAccept: 'accepted',
  accepted: (target: string, at: string) => `${target} is accepted at ${at}.`,
  didPutBack: 'put back',
  putBack: (target: string, at: string) =>
    `${target} is put back to ${at}; the other commits are kept in refs/aiswarm/archive.`,
  gone: 'This move no longer needs an answer. Press esc to go back.',
  putBackAsks: (target: string, from: string, to: string) => `Moves ${target} from ${from} back to ${to}.`,
  archives: (target: string) => `First keeps the commits of the move at refs/aiswarm/archive/target.${target}/…`,
  follows: 'Updates a clean checkout of the branch. If the checkout has changes, nothing is moved.',
  stale: 'Ready integrations are merged and verified again on that commit.',
} as const

/** The files of the main checkout. */
export const checkoutText = {
  title: 'The main checkout has changed',
  why: (agents: string) =>
    `Noticed when a run ended. These agents were running in their own worktrees: ${agents}. One of them or you may have made the changes; aiswarm cannot tell.`,
  files: 'Files',
  hint: "'git status' and 'git diff' in the main checkout show more. Accepting changes no file. To turn this check off, set integration.watchCheckout: false.",
  answer: (accept: string) => `${accept} accept these changes   esc back`,
  did: 'accepted',
  accepted: 'The changes in the main checkout are accepted.',
  gone: 'The main checkout has no unaccepted changes any more.',
} as const

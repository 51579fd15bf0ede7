import { type Command, does } from '../call/command.ts'
import { acceptChanges, acceptMove, putBackMove, showCheckout, showTargets } from '../verbs/foreign-changes.ts'
import { text } from '../call/values.ts'
import { argument, optionalArgument } from '../call/words.ts'

export const targetCommands: readonly Command[] = [
  does({
    path: 'target show',
    summary: 'Show target branches that something other than aiswarm moved while agents ran: commits, diff, agents',
    words: { branch: optionalArgument('BRANCH', 'Target branch', text) },
    run: ({ branch }, call) => showTargets(call, branch),
    example: 'target show main',
  }),
  does({
    path: 'target accept',
    summary: 'Accept a moved target branch at its current commit; requires a terminal and a typed answer',
    words: { branch: argument('BRANCH', 'Target branch', text) },
    grave: true,
    run: ({ branch }, call) => acceptMove(call, branch),
    example: 'target accept main',
  }),
  does({
    path: 'target put-back',
    summary:
      'Put a moved target branch back to its previous commit and archive the other commits; requires a terminal and a typed answer',
    words: { branch: argument('BRANCH', 'Target branch', text) },
    grave: true,
    run: ({ branch }, call) => putBackMove(call, branch),
    example: 'target put-back main',
  }),
  does({
    path: 'checkout show',
    summary: 'Show files of the main checkout that changed while agents ran in worktrees',
    words: {},
    run: (_, call) => showCheckout(call),
    example: 'checkout show',
  }),
  does({
    path: 'checkout accept',
    summary: 'Accept these changes in the main checkout; changes no file; requires a terminal and a typed answer',
    words: {},
    grave: true,
    run: (_, call) => acceptChanges(call),
    example: 'checkout accept',
  }),
]

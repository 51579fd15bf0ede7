import { createWorktree } from '../operations/create-worktree.ts'
import { rejectIntegration } from '../operations/reject-integration.ts'
import { requestIntegration } from '../operations/request-integration.ts'
import { approve } from './approve.ts'
import { type Command, does, given, open, performs } from './command.ts'
import { discard } from './discard.ts'
import { observedWorktree, observedWorktrees } from './observed-worktree.ts'
import { diffText, integrationLine, worktreeDetail, worktreeList } from './text/worktree-text.ts'
import { text } from './values.ts'
import { argument, flag, needed, newName, option } from './words.ts'

const name = argument('NAME', 'Name of the worktree', text)

export const worktreeCommands: readonly Command[] = [
  performs({
    path: 'worktree create',
    words: {
      name: newName('NAME', '1 to 50 letters, digits, - or _', text),
      branch: needed('--branch', 'B', 'Branch to work on; created where it does not exist', text),
      source: option('--source', 'S', 'Branch to fork from (default: the target of the configuration, main)', text),
    },
    operation: createWorktree,
    input: ({ name, branch, source }) => ({ name, branchName: branch, ...given('sourceBranch', source) }),
    text: (worktree) => `Worktree ${worktree.name} is on ${worktree.branchName} in ${worktree.path}`,
    example: 'worktree create user-auth --branch feature/user-auth',
  }),
  does({
    path: 'worktree list',
    summary: 'List the worktrees of every state, with what git says of them',
    words: {},
    run: async (_, call) => {
      const worktrees = await observedWorktrees(await open(call))
      return { json: worktrees, text: worktreeList(worktrees) }
    },
    example: 'worktree list --json',
  }),
  does({
    path: 'worktree show',
    summary: 'Show one worktree: its branch, its integration, its verification',
    words: { name },
    run: async ({ name }, call) => {
      const worktree = await observedWorktree(await open(call), name)
      return { json: worktree, text: worktreeDetail(worktree) }
    },
    example: 'worktree show user-auth',
  }),
  does({
    path: 'worktree diff',
    summary: 'Show what integrating a worktree would bring',
    words: { name },
    run: async ({ name }, call) => {
      const connection = await open(call)
      await observedWorktree(connection, name)
      const diff = await connection.outside.diffWorktree(name)
      return { json: { name, ...diff }, text: diffText(diff) }
    },
    example: 'worktree diff user-auth',
  }),
  performs({
    path: 'worktree request',
    words: { name, target: option('--target', 'T', 'Branch to integrate into (default: the target of the configuration, main)', text) },
    operation: requestIntegration,
    input: ({ name, target }) => ({ worktreeName: name, ...given('targetBranch', target) }),
    text: integrationLine,
    example: 'worktree request user-auth',
  }),
  does({
    path: 'worktree approve',
    summary: 'Let a verified merge into its target, after a look at it; wants a terminal and a typed answer',
    words: { name },
    run: ({ name }, call) => approve(call, name),
    example: 'worktree approve user-auth',
  }),
  performs({
    path: 'worktree reject',
    words: { name, reason: needed('--reason', 'R', 'What must change', text) },
    operation: rejectIntegration,
    input: ({ name, reason }) => ({ worktreeName: name, reason }),
    text: integrationLine,
    example: "worktree reject user-auth --reason 'tests are missing'",
  }),
  does({
    path: 'worktree discard',
    summary: 'Give a worktree up: agents stop, unfinished tasks are cancelled, its content is archived; wants a terminal and a typed answer',
    words: { name, reason: needed('--reason', 'R', 'Why', text), loseNothing: flag('--lose-nothing', 'Ask nothing, but refuse if anything would go beyond the archive') },
    run: (words, call) => discard(call, words),
    example: "worktree discard user-auth --reason 'done differently'",
  }),
]

import type { z } from 'zod'
import type { importTasks } from '../../operations/tasks/import.ts'
import { cart, largeCart, library, loginApi, loginEdges, loginService, review } from './library.ts'

/** The worktrees of the demo. */
export const demoWorktrees = [
  { name: 'user-auth', branchName: 'feature/user-auth' },
  { name: 'cart-totals', branchName: 'fix/cart-totals' },
] as const

/**
 * Seed 004's login example and a small repair next to it: four personas, dependencies, two worktrees. Every agent is a
 * shell command that needs only sh, git and node. With a `pace` of 2 its steps take twice as long.
 */
export const demoBoard = (pace: number): Drafts => [...login(pace), ...checksOfLogin(pace), ...cartTotals(pace)]

type Drafts = z.input<typeof importTasks.input>

/** Tasks 1 and 2. */
const login = (pace: number): Drafts => [
  {
    title: 'Design login API',
    description: 'Write down the functions of the login service before anyone builds them.',
    personaId: 'planner',
    priority: 100,
    targetWorktree: 'user-auth',
    acceptanceCriteria: ['docs/login-api.md names register and login'],
    command: steps(
      "echo 'reading test/login.test.js for what is expected'",
      takes(1.5 * pace),
      writes('docs/login-api.md', loginApi),
      "echo 'wrote docs/login-api.md'",
      takes(1 * pace),
      'git grep --quiet --untracked register -- docs/login-api.md',
      ticks(1),
    ),
  },
  {
    title: 'Implement login service',
    description: 'Build the authentication service with password validation.',
    personaId: 'implementer',
    priority: 90,
    dependencies: [1],
    targetWorktree: 'user-auth',
    acceptanceCriteria: ['node --test test/login.test.js passes', 'passwords are hashed with scrypt'],
    command: steps(
      "echo 'implementing docs/login-api.md'",
      takes(2 * pace),
      writes('src/login.js', loginService),
      takes(1 * pace),
      'node --test test/login.test.js',
      'git grep --quiet scryptSync -- src/login.js',
      ticks(1, 2),
    ),
  },
]

/** Tasks 3 and 4. */
const checksOfLogin = (pace: number): Drafts => [
  {
    title: 'Add login tests',
    description: 'Test the edges of the authentication service.',
    personaId: 'tester',
    priority: 80,
    dependencies: [2],
    targetWorktree: 'user-auth',
    acceptanceCriteria: ['an unknown user is refused', 'the password is not kept as text'],
    command: steps(
      takes(1.5 * pace),
      writes('test/login-edges.test.js', loginEdges),
      'node --test test/login.test.js test/login-edges.test.js',
      ticks(1, 2),
    ),
  },
  {
    title: 'Review implementation',
    description:
      'Compare the implementation with the API and write down the findings. On purpose, this agent claims a change that it did not make: the review of user-auth shows the claim next to the facts.',
    personaId: 'reviewer',
    priority: 70,
    dependencies: [2, 3],
    targetWorktree: 'user-auth',
    acceptanceCriteria: ['docs/review.md says what was checked'],
    command: steps(
      takes(1 * pace),
      'git log --oneline main..HEAD',
      'node --check src/login.js',
      'git grep -n -e scryptSync -e timingSafeEqual -- src/login.js',
      writes('docs/review.md', review),
      notes('updated README.md (a false claim, on purpose)'),
      ticks(1),
    ),
  },
]

/** Tasks 5 and 6. */
const cartTotals = (pace: number): Drafts => [
  {
    title: 'Repair cart totals',
    description: 'The total of a cart ignores the quantity.',
    personaId: 'implementer',
    priority: 85,
    targetWorktree: 'cart-totals',
    acceptanceCriteria: ['node --test test/cart.test.js passes'],
    command: steps(
      "echo 'the tests before the repair:'",
      'node --test test/cart.test.js && exit 1',
      takes(2 * pace),
      writes('src/cart.js', cart),
      'git diff --stat',
      "echo 'and after it:'",
      'node --test test/cart.test.js',
      ticks(1),
    ),
  },
  {
    title: 'Test cart totals',
    description: 'Guard the repair with a larger cart.',
    personaId: 'tester',
    priority: 75,
    dependencies: [5],
    targetWorktree: 'cart-totals',
    acceptanceCriteria: ['a cart of 1,000 lines adds up'],
    command: steps(
      takes(1 * pace),
      writes('test/cart-large.test.js', largeCart),
      'node --test test/cart.test.js test/cart-large.test.js',
      ticks(1),
    ),
  },
]

/** Joins steps, one per line; the first failure ends the command. */
function steps(...lines: readonly string[]): string {
  return ['set -e', ...lines].join('\n')
}

/**
 * A shell command that writes a file of the demo with `git apply`: it needs only git and prints nothing. Files of the
 * library are replaced, others are created.
 */
const writes = (path: string, content: string): string => {
  const before = library[path]
  const head =
    before === undefined ? `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null` : `--- a/${path}`
  const [removed, added] = [linesOf(before ?? ''), linesOf(content)]
  const range = (lines: readonly string[]): string => (lines.length === 0 ? '0,0' : `1,${lines.length}`)
  return `git apply <<'END'
${head}
+++ b/${path}
@@ -${range(removed)} +${range(added)} @@
${[...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)].join('\n')}
END`
}

/** A shell command that waits, so that a person can watch; sh itself has no builtin for it. */
const takes = (seconds: number): string => `node -e 'setTimeout(() => {}, ${seconds * 1000})'`

/** A shell command that writes a note about its task. */
const notes = (note: string): string =>
  `aiswarm task progress "$AISWARM_TASK_ID" --agent "$AISWARM_AGENT_ID" --note '${note}'`

/** A shell command that marks acceptance criteria of its task as met, by their numbers from 1. */
const ticks = (...numbers: readonly number[]): string =>
  `aiswarm task progress "$AISWARM_TASK_ID" --agent "$AISWARM_AGENT_ID" --note 'checked the acceptance criteria' ${numbers.map((n) => `--met ${n}`).join(' ')}`

const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))

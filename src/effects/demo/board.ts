import type { z } from 'zod'
import type { importTasks } from '../../operations/import-tasks.ts'

/** The worktrees of the demo. */
export const demoWorktrees = [
  { name: 'user-auth', branchName: 'feature/user-auth' },
  { name: 'cart-totals', branchName: 'fix/cart-totals' },
] as const

/** Seed 004's login example and a small repair beside it: four personas, dependencies, two worktrees. Every agent is a shell command. */
export const demoBoard: z.input<typeof importTasks.input> = [
  {
    title: 'Design login API',
    description: 'Write down the functions of the login service before anyone builds them.',
    personaId: 'planner',
    priority: 100,
    targetWorktree: 'user-auth',
    acceptanceCriteria: ['docs/login-api.md names register and login'],
    command: `echo 'reading test/login.test.js for what is expected'
sleep 1.5
mkdir -p docs
cat > docs/login-api.md <<'END'
# Login API

- register(users, name, password) gives a new map of users; the password is kept as a salted hash.
- login(users, name, password) is true only for a known user with the right password.
END
echo 'wrote docs/login-api.md'
sleep 1`,
  },
  {
    title: 'Implement login service',
    description: 'Build the authentication service with password validation.',
    personaId: 'implementer',
    priority: 90,
    dependencies: [1],
    targetWorktree: 'user-auth',
    acceptanceCriteria: ['node --test test/login.test.js passes', 'passwords are hashed with scrypt'],
    command: `echo 'implementing docs/login-api.md'
sleep 2
cat > src/login.js <<'END'
import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto'

const hash = (password, salt) => scryptSync(password, salt, 32)

/** A new map of users with one more; the password is kept as a salted hash. */
export const register = (users, name, password) => {
  const salt = randomBytes(16)
  return new Map(users).set(name, { salt, hash: hash(password, salt) })
}

/** True where the password belongs to the user. */
export const login = (users, name, password) => {
  const user = users.get(name)
  return user !== undefined && timingSafeEqual(user.hash, hash(password, user.salt))
}
END
sleep 1
node --test test/login.test.js`,
  },
  {
    title: 'Add login tests',
    description: 'Test the edges of the authentication service.',
    personaId: 'tester',
    priority: 80,
    dependencies: [2],
    targetWorktree: 'user-auth',
    acceptanceCriteria: ['an unknown user is refused', 'the password is not kept as text'],
    command: `sleep 1.5
cat > test/login-edges.test.js <<'END'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { login, register } from '../src/login.js'

test('an unknown user is refused', () => {
  assert.equal(login(new Map(), 'nobody', 'x'), false)
})

test('the password is not kept as text', () => {
  const users = register(new Map(), 'ada', 'secret')
  assert.ok(!JSON.stringify(users.get('ada')).includes('secret'))
})
END
node --test test/login.test.js test/login-edges.test.js`,
  },
  {
    title: 'Review implementation',
    description: 'Read the implementation against the API and write the findings down.',
    personaId: 'reviewer',
    priority: 70,
    dependencies: [2, 3],
    targetWorktree: 'user-auth',
    acceptanceCriteria: ['docs/review.md says what was checked'],
    command: `sleep 1
node --check src/login.js && grep -q scryptSync src/login.js && grep -q timingSafeEqual src/login.js
cat > docs/review.md <<END
# Review

Checked: src/login.js parses, hashes with scrypt and compares in constant time.
Commits: $(git log --oneline main..HEAD | wc -l | tr -d ' ')
END
cat docs/review.md`,
  },
  {
    title: 'Repair cart totals',
    description: 'The total of a cart leaves the quantity out.',
    personaId: 'implementer',
    priority: 85,
    targetWorktree: 'cart-totals',
    acceptanceCriteria: ['node --test test/cart.test.js passes'],
    command: `echo 'the test that fails:'
node --test test/cart.test.js | grep -m1 'price times quantity' || true
sleep 2
sed 's/sum += line.price$/sum += line.price * line.quantity/' src/cart.js > src/cart.new && mv src/cart.new src/cart.js
git diff --stat
node --test test/cart.test.js`,
  },
  {
    title: 'Test cart totals',
    description: 'Guard the repair with a larger cart.',
    personaId: 'tester',
    priority: 75,
    dependencies: [5],
    targetWorktree: 'cart-totals',
    acceptanceCriteria: ['a cart of 1,000 lines adds up'],
    command: `sleep 1
cat > test/cart-large.test.js <<'END'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { total } from '../src/cart.js'

test('a cart of 1,000 lines adds up', () => {
  assert.equal(total(Array.from({ length: 1000 }, () => ({ price: 5, quantity: 3 }))), 15_000)
})
END
node --test test/cart.test.js test/cart-large.test.js`,
  },
]

// The files of the demo's repository, before and after its tasks.

/** The files of the demo's repository: a small library with two open tasks, and tests that fail until they are done. */
export const library: Readonly<Record<string, string>> = {
  'package.json': `{
  "name": "shop",
  "version": "1.0.0",
  "type": "module",
  "scripts": { "test": "node --test test/*.test.js" }
}
`,
  'README.md': `# shop

A small library. Its tests fail until the two features are done: \`npm test\`.
`,
  '.gitignore': 'node_modules/\n',
  'verify.js': `// Runs the tests of every part that a merge touches.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'

const touched = spawnSync('git', ['diff', '--name-only', 'HEAD^1'], { encoding: 'utf8' }).stdout
const parts = ['login', 'cart'].filter((part) => touched.includes('/' + part))
const tests = readdirSync('test').filter((file) => parts.some((part) => file.startsWith(part)))
process.exitCode = spawnSync('node', ['--test', ...tests.map((file) => 'test/' + file)], { stdio: 'inherit' }).status ?? 1
`,
  'src/cart.js': `/** Sum of the lines of a cart, in cents. */
export const total = (lines) => {
  let sum = 0
  for (const line of lines) sum += line.price
  return sum
}
`,
  'src/login.js': `/** True where the password belongs to the user. */
export const login = () => {
  throw new Error('login is not implemented yet')
}
`,
  'test/cart.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { total } from '../src/cart.js'

test('a cart adds up price times quantity', () => {
  assert.equal(total([{ price: 250, quantity: 2 }, { price: 199, quantity: 1 }]), 699)
})

test('an empty cart costs nothing', () => {
  assert.equal(total([]), 0)
})
`,
  'test/login.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { login, register } from '../src/login.js'

test('a registered user logs in with the right password only', () => {
  const users = register(new Map(), 'ada', 'correct horse')
  assert.equal(login(users, 'ada', 'correct horse'), true)
  assert.equal(login(users, 'ada', 'wrong'), false)
})
`,
}

export const loginApi = `# Login API

- register(users, name, password) gives a new map of users; the password is kept as a salted hash.
- login(users, name, password) is true only for a known user with the right password.
`

export const loginService = `import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto'

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
`

export const loginEdges = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { login, register } from '../src/login.js'

test('an unknown user is refused', () => {
  assert.equal(login(new Map(), 'nobody', 'x'), false)
})

test('the password is not kept as text', () => {
  const users = register(new Map(), 'ada', 'secret')
  assert.ok(!JSON.stringify(users.get('ada')).includes('secret'))
})
`

export const review = `# Review

Checked: src/login.js parses, hashes with scrypt and compares in constant time.
`

export const cart = `/** Sum of the lines of a cart, in cents. */
export const total = (lines) => {
  let sum = 0
  for (const line of lines) sum += line.price * line.quantity
  return sum
}
`

export const largeCart = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { total } from '../src/cart.js'

test('a cart of 1,000 lines adds up', () => {
  assert.equal(total(Array.from({ length: 1000 }, () => ({ price: 5, quantity: 3 }))), 15_000)
})
`

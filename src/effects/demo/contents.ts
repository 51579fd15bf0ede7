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

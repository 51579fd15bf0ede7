import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { storeAddress } from '../../../src/effects/starting/store-address.ts'
import { refusal, temporaryFolder } from '../../support/core.ts'
import { needs } from '../../support/needs.ts'

// Which store a checkout has is decided by its own user, never by the repository.

const git = (root: string, ...args: readonly string[]): unknown =>
  execFileSync('git', ['-c', 'user.name=ada', '-c', 'user.email=ada@example.net', ...args], { cwd: root })

const STORE = 'store: postgresql://ada@db.example.net/shop\n'

/** A repository whose .aiswarm/store.yaml has this text. */
const checkout = (text: string): { root: string; path: string } => {
  const root = temporaryFolder()
  git(root, 'init', '--quiet')
  git(root, 'commit', '--quiet', '--allow-empty', '--message', 'Begin')
  mkdirSync(join(root, '.aiswarm'))
  const path = join(root, '.aiswarm/store.yaml')
  writeFileSync(path, text, { mode: 0o600 })
  return { root, path }
}

const refused = async (root: string): Promise<{ code: string; message: string }> => {
  const { code, message } = await refusal(storeAddress(root, {}))
  return { code, message }
}

it('a store file of the user names the board, and one schema for the repository', async () => {
  const { root } = checkout(STORE)
  expect(await storeAddress(root, {})).toEqual({
    url: 'postgresql://ada@db.example.net/shop',
    schema: expect.stringMatching(/^aiswarm_\w+_[0-9a-f]{6}$/) as string,
  })
  expect(await storeAddress(root, { AISWARM_STORE: 'postgresql://bob@localhost/other?schema=mine' })).toMatchObject({
    url: 'postgresql://bob@localhost/other?schema=mine',
    schema: 'mine',
  })
})

it('a store file that is committed is refused', async () => {
  const { root } = checkout(STORE)
  git(root, 'add', '--force', '.aiswarm/store.yaml')
  for (const step of [['status'], ['commit', '--quiet', '--message', 'Share']]) {
    git(root, ...step)
    expect(await refused(root)).toMatchObject({
      code: 'config_invalid',
      message: expect.stringMatching(/is committed.*Run 'git rm --cached \.aiswarm\/store\.yaml'/) as string,
    })
  }
})

it('a store file that other users can write is refused', async () => {
  const { root, path } = checkout(STORE)
  for (const mode of [0o620, 0o602]) {
    chmodSync(path, mode)
    expect((await refused(root)).message).toMatch(/can be written by other users.*Run 'chmod 600/)
  }
})

it('a store file of another user is refused', async (context) => {
  needs(context, process.getuid?.() === 0, 'only root can give a file to another user')
  const { root, path } = checkout(STORE)
  chownSync(path, 65_534, 65_534)
  expect((await refused(root)).message).toMatch(/belongs to another user.*Remove it, or own it/)
})

it.each([
  ['', 'names no store'],
  ['schema: shop\n', 'names no store'],
  ['store: 4\n', 'names no store'],
  [`${STORE}color: blue\n`, "has a key 'color', which aiswarm does not know"],
  [`${STORE}schema: 4\n`, 'has a schema that is no text'],
  [`${STORE}passwordCommand: [pass, show]\n`, 'has a passwordCommand that is no text'],
  ['store: [\n', 'cannot be read'],
])('a store file with %j is refused, and the right line is shown', async (text, sentence) => {
  const { root, path } = checkout(text)
  expect(await refused(root)).toEqual({
    code: 'config_invalid',
    message: `${path} ${sentence}. Write 'store: postgresql://user@host/database' into it.`,
  })
})

it('the password is what the command of the user prints, asked once for connections at the same time', async () => {
  const { root } = checkout(`${STORE}passwordCommand: echo asked >> asked.txt; echo "se cret"\n`)
  const { password } = (await storeAddress(root, {}))!
  expect(await Promise.all([password!(), password!()])).toEqual(['se cret', 'se cret'])
  expect(await password!()).toBe('se cret')
  expect(readFileSync(join(root, 'asked.txt'), 'utf8')).toBe('asked\n')
})

it('a command that fails prints no password, is named, and is asked again', async () => {
  const { root, path } = checkout(`${STORE}passwordCommand: echo wrong; test -e there\n`)
  const { password } = (await storeAddress(root, {}))!
  expect(await refusal(password!())).toMatchObject({
    code: 'store_unreachable',
    message: `The passwordCommand of ${path} failed. Run it by hand to see why, then try again.`,
  })
  writeFileSync(join(root, 'there'), '')
  expect(await password!()).toBe('wrong')
})

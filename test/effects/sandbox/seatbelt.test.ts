import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { insideSeatbelt } from '../../../src/effects/sandbox/seatbelt.ts'
import { temporaryFolder } from '../../support/core.ts'
import { script } from './script.ts'

/** A program in the place of sandbox-exec that confines nothing, so that the words around it run on any system. */
const started = (command: string) => {
  const folder = temporaryFolder()
  const [program, near, working] = ['sandbox-exec', 'near', 'working'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  script(program, '[ "$1" = -p ] && shift 2 && exec "$@"')
  for (const made of [near, working]) mkdirSync(made)
  const words = insideSeatbelt({ program }, [{ path: '/', access: 'read-only' }], {
    ...{ folder: working, near, listed: [], environment: {}, words: [] },
    ...{ network: 'open', sockets: [], refs: [] },
  })
  return { near, working, argv: [...words, '/bin/sh', '-c', command] }
}

it('the words around sandbox-exec give a program its folder, a temporary one that ends with it, and its exit code', () => {
  const { argv, near, working } = started('pwd; echo "$TMPDIR"; touch "$TMPDIR/a"; echo "$DISPLAY."; exit 7')
  const { status, stdout } = spawnSync(argv[0]!, argv.slice(1), { env: { ...process.env, DISPLAY: ':0' } })
  const [folder, temporary, display] = stdout.toString().split('\n')
  expect([status, folder, display]).toEqual([7, working, '.'])
  expect(temporary).toMatch(new RegExp(`^${near}/private-`))
  expect(readdirSync(near)).toEqual([])
})

it('the words around sandbox-exec name the temporary folder of a start in its profile', () => {
  const { argv } = started('echo "$TMPDIR"')
  const temporary = execFileSync(argv[0]!, argv.slice(1), { encoding: 'utf8' }).trim()
  expect(argv.find((word) => word.startsWith('(version 1)'))).toContain(`(allow file-write* (subpath "${temporary}"))`)
})

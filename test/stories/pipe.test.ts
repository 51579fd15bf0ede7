import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

it('a megabyte of JSON passes completely through a pipe, and a reader that closes it causes no error', () => {
  const root = mkdtempSync(join(tmpdir(), 'aiswarm-pipe-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  execFileSync(
    '/bin/sh',
    ['-ec', 'git init -q -b main; git -c user.name=a -c user.email=b commit -q --allow-empty -m Begin'],
    { cwd: root },
  )
  const input = JSON.stringify(
    Array.from({ length: 1500 }, (_, n) => ({ title: `task ${n}`, personaId: 'tester', description: 'x'.repeat(300) })),
  )
  const piped = `"${process.execPath}" "${main}"`
  const imported = spawnSync('/bin/sh', ['-c', `${piped} task import - --json | cat`], {
    cwd: root,
    input,
    encoding: 'utf8',
    maxBuffer: 1e8,
  })
  expect((JSON.parse(imported.stdout) as unknown[]).length).toBe(1500)
  const cut = spawnSync('/bin/sh', ['-c', `${piped} task list --json | head -c 20`], { cwd: root, encoding: 'utf8' })
  expect([cut.stdout.length, cut.stderr]).toEqual([20, ''])
})

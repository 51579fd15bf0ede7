import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { diagnoseUnused } from '../../../src/effects/opening/doctor.ts'
import { machine } from '../../../src/effects/sandbox/machine.ts'
import { openShop, programCommand } from '../../stories/pty.ts'
import { needs } from '../../support/needs.ts'
import { script } from '../sandbox/script.ts'

it('doctor creates nothing in a repository without aiswarm', async (test) => {
  const shop = openShop(test, { config: '' })
  const { code, out } = await shop.run('doctor')
  expect([code, programCommand.length]).toEqual([0, 2])
  expect(out).toContain("none yet; 'aiswarm init' creates it")
  expect(readdirSync(shop.root).sort()).toEqual(['.git', 'README.md'])
})

it('doctor does not report a slow CLI as missing', async (test) => {
  const shop = openShop(test)
  // It prints its version too late: after a minute, or when it is stopped.
  shop.write({ 'bin/claude': '#!/bin/sh\nexec sleep 60\n' })
  shop.git('update-index', '--add', '--chmod=+x', 'bin/claude')
  shop.git('checkout-index', '--force', 'bin/claude')
  vi.stubEnv('PATH', `${join(shop.root, 'bin')}:${process.env['PATH'] ?? ''}`)
  test.onTestFinished(() => void vi.unstubAllEnvs())
  expect(existsSync(join(shop.root, 'bin/claude'))).toBe(true)
  const claude = (await diagnoseUnused(shop.root, undefined, 200)).find(({ name }) => name === 'agent kind claude')
  expect(claude).toMatchObject({
    ok: true,
    detail: expect.stringContaining("'claude --version' took longer than 0.2 s") as string,
  })
})

it('doctor names what of the person an agent in the sandbox would not find, and what to list', async (test) => {
  needs(test, 'bubblewrap' in (await machine()), 'nothing can be confined')
  const shop = openShop(test, { config: 'sandbox: required\n' })
  const own = join(shop.folder, 'servers', 'own.mjs')
  shop.write({
    '../servers/own.mjs': '',
    '../.claude.json': JSON.stringify({ mcpServers: { own: { command: 'node', args: [own] } } }),
    '../.npmrc': 'registry=http://localhost:4873/\n',
  })
  script(join(shop.folder, 'claude'), 'echo 2.1.0')
  const doctor = (environment: Readonly<Record<string, string>>) => async () => {
    const screen = shop.startProgram([...programCommand, 'doctor', '--root', shop.root], { columns: 400, environment })
    await screen.ended()
    return screen.text()
  }
  const said = doctor({ PATH: `${shop.folder}:${process.env['PATH'] ?? ''}` })
  const server = `claude: The MCP server own cannot start in the sandbox, which hides ${own}. List ${join(shop.folder, 'servers')} in sandbox.read`
  const registry = 'The sandbox hides ~/.npmrc, so npm inside does not use its registry. List ~/.npmrc in sandbox.read.'
  const before = await said()
  expect(before).toContain(server)
  expect(before).toContain(registry)
  shop.write({ '.aiswarm/config.yaml': 'sandbox: {mode: required, read: [~/servers, ~/.npmrc]}\n' })
  const after = await said()
  expect(after).toContain('sandbox')
  expect(after).not.toMatch(/MCP server|registry/)
})

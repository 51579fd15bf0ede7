import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { diagnoseUnused } from '../../../src/effects/opening/doctor.ts'
import { openShop, programCommand } from '../../stories/pty.ts'

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
  const claude = (await diagnoseUnused(shop.root, 200)).find(({ name }) => name === 'agent kind claude')
  expect(claude).toMatchObject({
    ok: true,
    detail: expect.stringContaining("'claude --version' took longer than 0.2 s") as string,
  })
})

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { outputPath } from '../../../src/effects/files/paths.ts'
import { machine } from '../../../src/effects/sandbox/machine.ts'
import { act } from '../../../src/operations/perform/perform.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { temporaryFolder } from '../../support/core.ts'
import { needs } from '../../support/needs.ts'
import { commit, git, openSwarm, read, write } from '../swarm.ts'

// Projects of three languages in the sandbox, with an allowlist that names their registry: an agent installs, builds,
// tests and commits, and so does the verification.

beforeEach(async (context) => {
  needs(context, 'bubblewrap' in (await machine()), 'nothing can be confined')
  vi.stubEnv('AISWARM_SANDBOX', 'auto')
  return () => vi.unstubAllEnvs()
})

/** A registry of each kind with the package `tiny`, on loopback. */
const registry = async (): Promise<{ readonly port: number; readonly asked: readonly string[] }> => {
  const folder = temporaryFolder()
  const tar = (name: string, files: Readonly<Record<string, string>>): Buffer => {
    write(join(folder, name), files)
    execFileSync('tar', [
      'czf',
      join(folder, `${name}.tgz`),
      '-C',
      join(folder, name),
      ...readdirSync(join(folder, name)),
    ])
    return readFileSync(join(folder, `${name}.tgz`))
  }
  const node = tar('node', {
    'package/package.json': '{"name": "tiny", "version": "1.0.0", "main": "index.js"}',
    'package/index.js': 'module.exports = (a, b) => a + b\n',
  })
  const c = tar('c', { 'tiny/tiny.h': 'static int tiny(int a, int b) { return a + b; }\n' })
  const wheel = join(folder, 'tiny-1.0-py3-none-any.whl')
  execFileSync('python3', [
    '-c',
    `import sys, zipfile
with zipfile.ZipFile(sys.argv[1], 'w') as wheel:
    wheel.writestr('tiny.py', 'def add(a, b):\\n    return a + b\\n')
    wheel.writestr('tiny-1.0.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: tiny\\nVersion: 1.0\\n')
    wheel.writestr('tiny-1.0.dist-info/WHEEL', 'Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    wheel.writestr('tiny-1.0.dist-info/RECORD', 'tiny.py,,\\ntiny-1.0.dist-info/METADATA,,\\ntiny-1.0.dist-info/WHEEL,,\\ntiny-1.0.dist-info/RECORD,,\\n')`,
    wheel,
  ])
  const asked: string[] = []
  const server = createServer((request, response) => {
    const [path] = request.url!.split('?')
    asked.push(path!)
    const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const integrity = `sha512-${createHash('sha512').update(node).digest('base64')}`
    const dist = { tarball: `${at}/tiny.tgz`, integrity }
    const version = { name: 'tiny', version: '1.0.0', dist }
    const answers: Readonly<Record<string, string | Buffer>> = {
      '/tiny': JSON.stringify({ name: 'tiny', 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } }),
      '/tiny.tgz': node,
      '/simple/tiny/': `<a href="${at}/tiny-1.0-py3-none-any.whl">tiny-1.0-py3-none-any.whl</a>`,
      '/tiny-1.0-py3-none-any.whl': readFileSync(wheel),
      '/tiny-1.0.tar.gz': c,
    }
    const answer = answers[path!]
    response.writeHead(answer === undefined ? 404 : 200, {
      'content-type':
        path === '/tiny' ? 'application/json' : path!.startsWith('/simple') ? 'text/html' : 'application/octet-stream',
    })
    response.end(answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { port: (server.address() as AddressInfo).port, asked }
}

interface Project {
  readonly programs: readonly string[]
  readonly files: Readonly<Record<string, string>>
  readonly install: (at: string) => string
  readonly test: string
  /** The path of the registry by which the package came. */
  readonly served: string
}

const projects: Readonly<Record<string, Project>> = {
  'a Node project': {
    programs: ['npm'],
    files: {
      'package.json': JSON.stringify({
        name: 'shop',
        version: '1.0.0',
        dependencies: { tiny: '1.0.0' },
        scripts: { build: 'node build.cjs', test: 'node --test' },
      }),
      'build.cjs': `require('fs').mkdirSync('dist', { recursive: true }); require('fs').writeFileSync('dist/shop.cjs', 'module.exports = require("tiny")')\n`,
      'shop.test.cjs': `require('node:test')('adds', () => require('assert').equal(require('./dist/shop.cjs')(1, 2), 3))\n`,
      '.gitignore': 'node_modules\ndist\n',
    },
    install: (at) => `npm install --no-audit --no-fund --registry ${at}`,
    test: 'npm run build && npm test',
    served: '/tiny.tgz',
  },
  'a Python project': {
    programs: ['python3'],
    files: {
      'shop.py': 'import tiny\n\ndef total(a, b):\n    return tiny.add(a, b)\n',
      'test_shop.py': `import unittest, shop\n\nclass Shop(unittest.TestCase):\n    def test_total(self):\n        self.assertEqual(shop.total(1, 2), 3)\n`,
      '.gitignore': 'venv\n__pycache__\n',
    },
    install: (at) =>
      `python3 -m venv venv && venv/bin/pip install --disable-pip-version-check --index-url ${at}/simple tiny`,
    test: 'venv/bin/python -m compileall -q shop.py && venv/bin/python -m unittest -q',
    served: '/tiny-1.0-py3-none-any.whl',
  },
  'a C project': {
    programs: ['cc', 'make', 'curl', 'tar'],
    files: {
      Makefile: 'shop: shop.c tiny/tiny.h\n\tcc -o shop shop.c\ntest: shop\n\ttest $$(./shop) = 3\n',
      'shop.c':
        '#include <stdio.h>\n#include "tiny/tiny.h"\nint main(void) { printf("%d\\n", tiny(1, 2)); return 0; }\n',
      '.gitignore': 'shop\ntiny\n',
    },
    install: (at) => `curl -fsS -o /tmp/tiny.tar.gz ${at}/tiny-1.0.tar.gz && tar xzf /tmp/tiny.tar.gz`,
    test: 'make shop && make test',
    served: '/tiny-1.0.tar.gz',
  },
}

const has = (program: string): boolean => {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

it.for(Object.keys(projects))(
  '%s is installed from a registry, built, tested and committed by an agent, and verified',
  async (name, context) => {
    const { programs, files, install, test, served } = projects[name]!
    needs(context, ['python3', ...programs].every(has), 'one of its programs is missing')
    const { port, asked } = await registry()
    const at = `http://127.0.0.1:${port}`
    const swarm = await openSwarm({
      config: `sandbox: {network: allowlist, hosts: ["127.0.0.1:${port}"]}\nworktrees: {setup: ${JSON.stringify(install(at))}}\nintegration: {verify: ${JSON.stringify(test)}}`,
    })
    commit(swarm.root, files, 'Begin the project')
    const folder = await swarm.build('auth')
    const times = asked.filter((path) => path === served).length
    expect(times).toBeGreaterThan(0)
    for (const made of ['node_modules', 'venv', 'tiny']) rmSync(join(folder, made), { recursive: true, force: true })
    const task = await swarm.carryOut(
      `${install(at)} && ${test} && date > built && git add --all && git commit -qm Built`,
      {
        targetWorktree: 'auth',
      },
    )
    expect(task.status, read(outputPath(swarm.root, task.attempts.at(-1)!.agentId))).toBe('completed')
    expect(asked.filter((path) => path === served).length).toBeGreaterThan(times)
    expect(git(folder, 'log', '-1', '--format=%s')).toBe('Built')
    const { integration } = await act(swarm.connection, requestIntegration, { worktreeName: 'auth' })
    expect(integration!.verification!.exitCode, integration!.verification!.tail).toBe(0)
  },
)

import { once } from 'node:events'
import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { read, repository, until, write } from '../effects/swarm.ts'
import { aiswarm, start } from './program.ts'

const main = resolve(import.meta.dirname, '../../dist/main.js')

it('a pipeline imports tasks from a pipe, writes a report, calls hooks and prints metrics', async () => {
  const root = repository()
  write(root, {
    '.aiswarm/config.yaml':
      'session: {maxRetries: 0}\non: {task.completed: cat >> told.jsonl, task.failed: cat >> told.jsonl}\n',
  })
  const importing = spawn(process.execPath, [main, 'task', 'import', '-', '--root', root], {
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  importing.stdin.end(
    '{"title": "Good", "personaId": "tester", "command": "true"}\n{"title": "Bad", "personaId": "tester", "command": "exit 3", "dependencies": [1]}\n',
  )
  expect((await once(importing, 'exit'))[0]).toBe(0)

  const refused = await aiswarm(root, 'run', '--until-idle', '--report', join(root, 'nowhere', 'junit.xml'))
  expect(refused).toMatchObject({ code: 1, out: '' })
  const run = await aiswarm(root, 'run', '--until-idle', '--report', join(root, 'junit.xml'))
  expect(run.code, run.err).toBe(3)
  expect(read(root, 'junit.xml')).toContain('<testsuites name="aiswarm" tests="2" failures="1" errors="0" skipped="0"')
  const told = read(root, 'told.jsonl')
  expect([...told.matchAll(/"event":"([^"]+)"/g)].map((match) => match[1])).toEqual(['task.completed', 'task.failed'])

  const { code, out } = await aiswarm(root, 'metrics')
  expect(code).toBe(0)
  expect(out.split('\n')).toEqual(
    expect.arrayContaining([
      'aiswarm_tasks{status="completed"} 1',
      'aiswarm_attempts_total{kind="command",outcome="failed"} 1',
      '# EOF',
    ]),
  )
  const serving = start(root, ['metrics', '--serve', '0'])
  const url = await until('the address', () => /http:\S+/.exec(serving.said())?.[0])
  expect(await (await fetch(url)).text()).toMatch(/aiswarm_tasks\{status="failed"\} 1\n[^]*# EOF\n$/)
  serving.child.kill('SIGINT')
  expect((await serving.ended).code).toBe(0)
})

import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { it } from 'vitest'
import { enter, escape, generous, openShop, type Shop } from './pty.ts'

/**
 * Puts programs with the names of the CLIs first on the PATH of a console; each gets its prompt in `$in`, to the end of
 * its input as a headless run has it, and runs these lines of sh.
 */
const withClis = (shop: Shop, scripts: Readonly<Record<string, string>>): Readonly<Record<string, string>> => {
  const bin = join(shop.folder, 'bin')
  mkdirSync(bin)
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(bin, name), `#!/bin/sh\nin="$* $(cat)"\ncd '${shop.folder}'\n${script}`)
    chmodSync(join(bin, name), 0o755)
  }
  return { PATH: [bin, dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter) }
}

const says = (...lines: readonly unknown[]): string =>
  `cat <<'END OF LINES'\n${lines.map((line) => JSON.stringify(line)).join('\n')}\nEND OF LINES\n`

const begins = {
  type: 'system',
  subtype: 'init',
  session_id: 'a',
  model: 'sonnet',
  mcp_servers: [{ name: 'aiswarm', status: 'connected' }],
}
const result = (costUsd: number, more: object = {}) => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: 'so far',
  total_cost_usd: costUsd,
  modelUsage: { sonnet: { inputTokens: 2000, outputTokens: 300, cacheReadInputTokens: 9000 } },
  ...more,
})

/** The letter that the system shows for the state of a process: T if it is stopped, undefined if it has ended. */
const stateOf = (pid: number): string | undefined => /\) (\w)/.exec(told(`/proc/${pid}/stat`))?.[1]

const told = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** A shell that was stopped while it started a program waits (D) for that program, which is stopped before it has begun. */
const standsStill = (pid: number): boolean =>
  stateOf(pid) === 'T' || (stateOf(pid) === 'D' && childrenOf(pid).some((child) => stateOf(child) === 'T'))

const childrenOf = (pid: number): readonly number[] =>
  told(`/proc/${pid}/task/${pid}/children`).trim().split(' ').filter(Boolean).map(Number)

it.concurrent(
  'a used-up budget pauses the agent, stays paused across a restart, and one key resumes it',
  generous,
  async (test) => {
    const shop = openShop(test, {
      config:
        'agents: {default: claude, kinds: {claude: {protocol: headless}, codex: {protocol: headless}}}\nbudget: {task: {costUsd: 0.25}}\n',
    })
    const environment = withClis(shop, {
      claude: `echo $$ > pid\n${says(begins, result(0.3))}until [ -e go ]; do sleep 0.05; done\n${says({ type: 'assistant', message: { content: [{ type: 'text', text: 'I go on.' }] } })}until [ -e end ]; do sleep 0.05; done\n`,
      codex: `${says({ type: 'thread.started', thread_id: 't' }, { type: 'turn.completed', usage: { input_tokens: 24_000, cached_input_tokens: 20_000, output_tokens: 1000 } })}until [ -e end ]; do sleep 0.05; done\n`,
    })
    const first = await shop.console({ environment })
    await shop.answer('task', 'add', 'Spend a lot', '--persona', 'implementer')
    await first.until(/ 1 .*‖ over budget .*Spend a lot/)
    await first.until(/\$0\.30 .*⚑ 1 needs you/)
    const pid = Number(readFileSync(join(shop.folder, 'pid'), 'utf8'))
    if (process.platform === 'linux') await test.expect.poll(() => standsStill(pid), { timeout: 60_000 }).toBe(true)
    first.press('q')
    test.expect(await first.ended()).toBe(0)
    test.expect(existsSync(`/proc/${pid}`) || process.platform !== 'linux').toBe(true)

    const second = await shop.console({ environment })
    await second.until(/ 1 .*‖ over budget .*Spend a lot/)
    writeFileSync(join(shop.folder, 'go'), '')
    second.press('w')
    await second.until('Task 1 has used up its budget')
    await second.until(/used +11k in 300 out, 9k of input cached, \$0\.30/)
    await second.until(/so far +\$0\.30 of \$0\.25/)
    second.press('y')
    await second.until('The budget of task 1 is now $0.50; work continues.')
    await second.lacks('over budget')
    await second.until('I go on.')
    if (process.platform === 'linux') test.expect(standsStill(pid)).toBe(false)

    // An agent that reports no price does not count as free.
    await shop.answer('task', 'add', 'By another', '--persona', 'implementer', '--kind', 'codex')
    await second.until(/\$0\.30\+/)
    second.press('G')
    await second.until(/▸ +2 .*By another/)
    second.press(enter)
    await second.until(/used +24k in 1k out, 20k of input cached, no price reported/)
    await second.until(/budget +\$0\.00 of \$0\.25, without the price of 25k tokens/)
    second.press(escape)
    test
      .expect((await shop.run('cost')).out)
      .toMatch(/35k in 1k out, 29k of input cached, \$0\.30 without the price of 25k tokens; it has no budget\n/)
    writeFileSync(join(shop.folder, 'end'), '')
    second.press('q')
    test.expect(await second.ended()).toBe(0)
  },
)

it.concurrent('a session with a used-up budget starts nothing until a person has answered', generous, async (test) => {
  const shop = openShop(test, {
    config:
      'agents: {default: claude, kinds: {claude: {protocol: headless}}}\nsession: {maxParallel: 1, maxRetries: 0}\nbudget: {session: {tokens: 10000}}\n',
  })
  const environment = withClis(shop, { claude: `echo run >> runs\n${says(begins, result(0.1))}` })
  const runs = (): number =>
    existsSync(join(shop.folder, 'runs')) ? readFileSync(join(shop.folder, 'runs'), 'utf8').split('\n').length - 1 : 0
  const screen = await shop.console({ columns: 180, environment })
  await shop.answer('task', 'add', 'First', '--persona', 'implementer')
  await screen.until(/ 1 .*✗ failed/)
  await shop.answer('task', 'add', 'Second', '--persona', 'implementer')
  await screen.until(/\$0\.10 11k\/10k tokens .*⚑ 2 need you/)
  await screen.until(/ 2 .*Second +cannot start: the session's /)
  screen.press(':')
  await screen.until('[Commands]')
  screen.press(`session budget${enter}`)
  await screen.until('[session budget]')
  screen.press(enter)
  await screen.until(/has used 11k in 300 out.*its budget is 10k tokens, used up/)
  test.expect(runs()).toBe(1)
  screen.press('w')
  await screen.until(/The session has used up its budget|has used up its budget/)
  if (!screen.text().includes('[The session has used up its budget]')) {
    screen.press(escape)
    screen.press('w')
    await screen.until('[The session has used up its budget]')
  }
  screen.press('a')
  await screen.until('The session continues without a limit.')
  await screen.until(/ 2 .*✗ failed/)
  test.expect(runs()).toBe(2)
  screen.press('q')
  test.expect(await screen.ended()).toBe(0)
})

it.concurrent(
  'a task with a used-up quota sleeps until the reported time, and a key wakes it earlier',
  generous,
  async (test) => {
    const shop = openShop(test, { config: 'agents: {default: claude, kinds: {claude: {protocol: headless}}}\n' })
    const sentence = "You've hit your limit · resets 3:39am (UTC)"
    const environment = {
      ...withClis(shop, {
        claude: `if [ -e refused ]; then ${says(begins, { type: 'assistant', message: { content: [{ type: 'text', text: 'I am awake.' }] } })}until [ -e end ]; do sleep 0.05; done; exit 0; fi\n: > refused\n${says(begins, result(0, { is_error: true, api_error_status: 429, result: sentence }))}exit 1\n`,
      }),
      TZ: 'UTC',
    }
    const first = await shop.console({ environment })
    await shop.answer('task', 'add', 'Sleep on it', '--persona', 'implementer')
    await first.until(/ 1 .*◔ asleep until 03:39 .*Sleep on it/)
    const task = await shop.answer<{ status: string; retryCount: number; sleep: { until: string; kind: string } }>(
      'task',
      'show',
      '1',
    )
    test.expect(task).toMatchObject({ status: 'pending', retryCount: 0, sleep: { kind: 'claude' } })
    test.expect(task.sleep.until).toMatch(/T03:39:00\.000Z$/)
    first.press('q')
    test.expect(await first.ended()).toBe(0)

    const second = await shop.console({ environment })
    await second.until(/ 1 .*◔ asleep until 03:39 /)
    second.press('r')
    await second.until('I am awake.')
    await second.lacks('asleep until')
    writeFileSync(join(shop.folder, 'end'), '')
    second.press('q')
    test.expect(await second.ended()).toBe(0)
  },
)

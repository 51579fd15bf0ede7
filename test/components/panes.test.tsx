import { expect, test } from 'vitest'
import stringWidth from 'string-width'
import { ours, type SafeText, safeText } from '../../src/domain/words/safe-text.ts'
import { AgentTable, type AgentRow } from '../../components/AgentTable.tsx'
import { Board, type BoardRow } from '../../components/Board.tsx'
import { Footer } from '../../components/Footer.tsx'
import { Frame } from '../../components/Frame.tsx'
import { Header, type HeaderProps } from '../../components/Header.tsx'
import { Log } from '../../components/Log.tsx'
import { boardLooks, integrationLooks } from '../../components/base/look.ts'
import { Paint } from '../../components/base/Paint.tsx'
import { ThemeInUse, themes } from '../../components/base/theme.ts'
import { TooSmall } from '../../components/TooSmall.tsx'
import { Worktrees } from '../../components/Worktrees.tsx'
import { draw, drawRaw } from './frame.tsx'

const row: BoardRow = {
  id: 3,
  priority: 100,
  state: 'in_progress',
  says: ours('working'),
  time: ours('4m10'),
  agent: ours('backend-1'),
  title: ours('JWT auth API'),
  asks: false,
  selected: true,
}

test('the board shows a row for each task, with the selection, the mark and the time', () => {
  const lines = draw(
    <Board
      width={80}
      focused
      empty={ours('')}
      rows={[
        row,
        {
          ...row,
          id: 4,
          priority: 90,
          state: 'blocked',
          says: ours('blocked by 3'),
          time: ours(''),
          agent: ours('–'),
          title: ours('Login form'),
          selected: false,
          asks: true,
        },
      ]}
    />,
  )
  expect(lines).toEqual([
    '    ID  PRI  STATE           TIME  AGENT           TITLE',
    '▸    3  100  ● working       4m10  backend-1       JWT auth API',
    ' ⚑   4   90  ◌ blocked by 3        –               Login form',
  ])
})

test('a cell with wide characters keeps its width', () => {
  const lines = drawRaw(
    <Board
      width={80}
      focused
      empty={ours('')}
      rows={[{ ...row, agent: ours('認証エージェント担当'), title: ours('実装する認証フロー'.repeat(6)) }]}
    />,
  ).split('\n')
  expect(stringWidth(lines[1]!)).toBe(80)
  expect(lines[1]).toContain('…')
})

test('the end of an agent is shown without its name if the name has a column', () => {
  const failed = (width: number, reason: string): string | undefined =>
    draw(
      <Board
        width={width}
        focused
        empty={ours('')}
        rows={[{ ...row, agent: ours('backend-12'), title: ours('JWT'), reason: ours(reason) }]}
      />,
      width,
    )[1]
  expect(failed(100, 'backend-12 ended with exit code 7: no such file')).toContain('JWT  exit code 7: no such file')
  expect(failed(100, 'no-artifact: backend-12 ended with exit code 0 without completing its task')).toContain(
    'JWT  no-artifact: exit code 0 without',
  )
  // The name of another agent stays, and so does a name without a column.
  expect(failed(100, 'backend-1 ended with exit code 7: no such file')).toContain('JWT  backend-1 ended with')
  expect(failed(61, 'backend-12 ended with exit code 7: no such file')).toContain('JWT  backend-12 ended')
})

test('a narrow board leaves out columns, never the title', () => {
  expect(draw(<Board width={50} focused={false} empty={ours('')} rows={[row]} />, 50)[1]).toBe(
    '▸    3  ● working       4m10  JWT auth API',
  )
})

test('every state has its own mark and word, so that none needs its colour', () => {
  for (const looks of [boardLooks, integrationLooks]) {
    const words = Object.values(looks).map((look) => look.word)
    expect(new Set(words).size).toBe(words.length)
    expect(Object.values(looks).every((look) => look.mark !== '')).toBe(true)
  }
})

test('the panes write no colours without colours, and keep the marks', () => {
  const board = <Board width={80} focused empty={ours('')} rows={[{ ...row, state: 'failed', says: ours('failed') }]} />
  const log = (
    <Log empty={ours('')} lines={[{ key: 1, time: ours(''), look: 'output', text: ours('\u001b[31mred\u001b[0m') }]} />
  )
  const frame = drawRaw(
    <ThemeInUse value={themes.mono}>
      {board}
      {log}
      <Paint colour="red">x</Paint>
    </ThemeInUse>,
  )
  // oxlint-disable-next-line no-control-regex -- colour sequences are what must be missing
  expect(frame).not.toMatch(/\u001b\[(?:3\d|4\d|9\d)/)
  expect(frame).toContain('✗ failed')
})

const agent: AgentRow = {
  id: ours('backend-1'),
  state: 'active',
  kind: ours('claude'),
  pid: ours('12345'),
  cpu: ours('12%'),
  memory: ours('310M'),
  beat: ours('2s'),
  context: ours('12%'),
  task: ours('3'),
  selected: true,
}

test('the agent table aligns its columns, also for wide names, and marks a crowded context', () => {
  const lines = draw(
    <AgentTable
      width={80}
      empty={ours('')}
      rows={[
        agent,
        { ...agent, id: safeText('認証'), state: 'idle', pid: ours('–'), context: ours('~72% ⚠'), selected: false },
      ]}
    />,
  )
  expect(lines).toEqual([
    '  AGENT            KIND          PID   CPU    MEM   BEAT     CTX TASK',
    '▸● backend-1       claude      12345   12%   310M     2s     12% 3',
    ' ○ 認証            claude          –   12%   310M     2s  ~72% ⚠ 3',
  ])
})

test('the agent table names the hosts before it shows the use of the processor, and no column without them', () => {
  const rows = [{ ...agent, host: ours('build-2') }]
  const drawn = (width: number, hosts: number) =>
    draw(<AgentTable width={width} hosts={hosts} empty={ours('')} rows={rows} />, width)
  expect(drawn(60, 7)).toEqual([
    expect.stringMatching(/AGENT +HOST +PID +BEAT +CTX TASK/),
    expect.stringMatching(/backend-1 +build-2 +12345 +2s +12% 3/),
  ])
  expect(drawn(44, 7)[0]).not.toContain('HOST')
  expect(drawn(96, 0)[0]).not.toContain('HOST')
})

test('the agent table of half a wide screen shows agents that differ only in their number as different', () => {
  const rows = ['implementer-1', 'implementer-12'].map((id) => ({ ...agent, id: safeText(id), time: ours('4m10') }))
  const [, first, second] = draw(<AgentTable width={96} empty={ours('')} rows={rows} />, 96)
  expect([first, second]).toEqual([
    expect.stringContaining('● implementer-1 '),
    expect.stringContaining('● implementer-12 '),
  ])
})

test('the agent table keeps the number in which cut names differ', () => {
  const rows = ['senior-implementer-1', 'senior-implementer-12'].map((id) => ({ ...agent, id: safeText(id) }))
  const [, first, second] = draw(<AgentTable width={58} empty={ours('')} rows={rows} />, 58)
  expect([first, second]).toEqual([expect.stringMatching(/● …\w*-?\w+-1 /), expect.stringMatching(/● …\w*-?\w+-12 /)])
})

test('the agent table never cuts a name to its number while the process columns have room', () => {
  const rows = ['implementer-4', 'tester-4'].map((id) => ({ ...agent, id: safeText(id) }))
  for (let width = 38; width <= 110; width++) {
    const [, first, second] = draw(<AgentTable width={width} empty={ours('')} rows={rows} />, width)
    expect([width, first, second]).toEqual([
      width,
      expect.stringContaining('plementer-4 '),
      expect.stringContaining('● tester-4 '),
    ])
  }
})

test('the board draws the progress that an agent reports as a bar', () => {
  const drawn = (percent: number) =>
    draw(
      <Board
        width={80}
        focused
        empty={ours('')}
        rows={[{ ...row, state: 'in_progress', says: ours(`working ${percent}%`), percent }]}
      />,
    )[1]
  expect([0, 45, 99, 100].map((percent) => /● (.{11})/.exec(drawn(percent)!)![1])).toEqual([
    '░░░░░░ 0%  ',
    '██░░░░ 45% ',
    '█████░ 99% ',
    '██████ 100%',
  ])
})

test('the board keeps the number in which cut agent names differ', () => {
  const rows = ['implementer-1', 'implementer-12'].map((agent, at) => ({ ...row, id: at, agent: ours(agent) }))
  const [, first, second] = draw(<Board width={66} focused empty={ours('')} rows={rows} />, 66)
  expect([first, second]).toEqual([expect.stringContaining(' …ementer-1 '), expect.stringContaining(' …menter-12 ')])
})

test('the border leaves out a range without room, because half of it would be another range', () => {
  const frame = (width: number, note: string) =>
    draw(
      <Frame
        width={width}
        sections={[
          { key: 'a', title: ours('Logs of all agents'), note: ours(note), focused: true, height: 1, body: null },
        ]}
      />,
      width,
    )[0]
  expect(frame(40, '1–9 of 646')).toBe('╭[Logs of all agents]───── 1–9 of 646 ─╮')
  expect(frame(32, '1–9 of 646')).toBe('╭[Logs of all agents]──────────╮')
  // The first of several words still carry information.
  expect(frame(48, 'zoomed, the key of which shows all')).toBe('╭[Logs of all agents]─ zoomed, the key of wh… ─╮')
})

const worktree = {
  name: ours('user-auth'),
  ahead: 3,
  behind: 0,
  added: 312,
  removed: 20,
  dirty: 0,
  verified: ours('verified ✓'),
  look: integrationLooks.ready,
  says: ours('ready'),
  warns: ours(''),
  time: ours('4m'),
  selected: false,
}

test('the worktree table shows states', () => {
  expect(
    draw(
      <Worktrees
        width={80}
        focused={false}
        empty={ours('')}
        rows={[
          worktree,
          {
            ...worktree,
            name: ours('payments'),
            ahead: null,
            verified: ours(''),
            look: integrationLooks.conflicted,
            says: ours('conflicts with main'),
            dirty: 2,
            selected: true,
          },
          { ...worktree, name: ours('search'), verified: ours(''), warns: ours('conflicts with auth +1') },
        ]}
      />,
    ),
  ).toEqual([
    ' WORKTREE   ↑ ↓        + −         AGE  STATE',
    ' user-auth  ↑3 ↓0     +312 −20      4m  verified ✓  ⚑ ready',
    '▸payments                           4m  ⚠ conflicts with main  2 dirty',
    ' search     ↑3 ↓0     +312 −20      4m  ⚑ ready  ⚠ conflicts with auth +1',
  ])
})

test('the worktree table shows whole names in one column if there is room', () => {
  const long = ours('a-rather-long-worktree-name')
  const drawn = (width: number) =>
    draw(
      <Worktrees
        width={width}
        focused={false}
        empty={ours('')}
        rows={[
          { ...worktree, name: long },
          { ...worktree, selected: true },
        ]}
      />,
    ).map((line) => line.slice(0, 36).trimEnd())
  expect(drawn(98).slice(1)).toEqual([' a-rather-long-worktree-name ↑3 ↓0', '▸user-auth                   ↑3 ↓0'])
  expect(drawn(60).slice(1)).toEqual([' a-rather-long-workt… ↑3 ↓0     +312', '▸user-auth            ↑3 ↓0     +312'])
})

test('the worktree table leaves out numbers of lines that would cut the reason of a worktree', () => {
  const reason = ours('i integrates it: no unfinished tasks')
  const row = { ...worktree, verified: ours(''), look: null, says: ours(''), reason }
  const drawn = (name: SafeText) =>
    draw(<Worktrees width={78} focused={false} empty={ours('')} rows={[{ ...row, name }]} />)[1]
  expect(drawn(ours('auth'))).toMatch(/^ auth +↑3 ↓0 +\+312 −20 +4m {2}i integrates it: no unfinished tasks$/)
  expect(drawn(ours('a-long-worktree-name'))).toBe(
    ' a-long-worktree-name ↑3 ↓0      4m  i integrates it: no unfinished tasks',
  )
})

const header: HeaderProps = {
  repository: ours('shop'),
  branch: ours('main'),
  session: { id: ours('session-20260130-142233'), status: 'running', summary: null },
  paused: false,
  supervisedElsewhere: null,
  agents: { running: 3, most: 4 },
  tasks: { done: 12, all: 18 },
  waiting: 2,
  cost: ours(''),
  pace: null,
  width: 130,
}

test('the header shortens a long reason before it leaves out the engine of the board', () => {
  const unconfined = { why: ours('bubblewrap is not installed here; install it to confine agents'), chosen: false }
  const store = { engine: ours('PostgreSQL'), polled: false }
  const drawn = draw(<Header {...header} store={store} unconfined={unconfined} width={120} />, 120)[0]
  expect(drawn).toContain('PostgreSQL')
  expect(drawn).toContain('⚠ no sandbox')
})

test('the header shortens no text but the one that makes room', () => {
  const props: HeaderProps = {
    ...header,
    session: null,
    waiting: 0,
    store: { engine: ours('PostgreSQL'), polled: true },
    unconfined: { why: ours('the configuration of this repository says sandbox: off'), chosen: true },
    width: 120,
  }
  expect(draw(<Header {...props} />, 120)[0]).toMatch(/PostgreSQL ⚠ polled .* no sandbox {2}agents/)
})

test('the header shows the place and what waits for the person', () => {
  expect(draw(<Header {...header} />, 130)[0]!.replace(/ {2,}/g, '  ')).toBe(
    ' aiswarm  shop  main  session-20260130-142233  running  agents 3/4  tasks ██████░░░░ 12/18  ⚑ 2 need you',
  )
  expect(
    draw(<Header {...header} paused waiting={1} supervisedElsewhere={{ pid: 4242 }} width={140} />, 140)[0]!.replace(
      / {2,}/g,
      '  ',
    ),
  ).toContain('‖ paused  supervised by pid 4242  agents 3/4')
})

test('the header shows the cost before less important facts', () => {
  expect(draw(<Header {...header} cost={ours('$3.10/5.00')} />, 130)[0]).toContain('12/18  $3.10/5.00  ⚑ 2 need you')
  expect(draw(<Header {...header} cost={ours('$3.10/5.00')} width={80} />, 80)[0]!.replace(/ {2,}/g, '  ')).toBe(
    ' shop  running  agents 3/4  tasks ██████░░░░ 12/18  $3.10/5.00  ⚑ 2 need you',
  )
})

test('the header says that nothing is confined, and why where there is room for it', () => {
  const unconfined = { why: ours('bubblewrap is not installed'), chosen: false }
  const drawn = (width: number, props: Partial<HeaderProps>): string =>
    draw(<Header {...header} {...props} width={width} />, width)[0]!.replace(/ {2,}/g, '  ')
  expect(drawn(160, { unconfined })).toContain('running  ⚠ no sandbox: bubblewrap is not installed  agents 3/4')
  expect(drawn(130, { unconfined })).toContain('running  ⚠ no sandbox: bubblewrap is not installed  agents 3/4')
  expect(drawn(100, { unconfined })).toContain('running  ⚠ no sandbox  agents 3/4')
  expect(drawn(60, { unconfined })).toContain('⚠ no sandbox  agents 3/4')
  const chosen = { why: ours('the configuration says sandbox: off'), chosen: true }
  expect(drawn(160, { unconfined: chosen })).toContain('no sandbox: the configuration says sandbox: off  agents 3/4')
  expect(drawn(100, { unconfined: chosen })).toContain('running  no sandbox  agents 3/4')
  expect(drawn(160, { unconfined: { ...unconfined, refused: true } })).toContain(
    'nothing starts without a sandbox: bub',
  )
})

test('the header keeps that the board does not answer before everything else', () => {
  const cutOff = ours('14:20:00')
  expect(draw(<Header {...header} cutOff={cutOff} />, 130)[0]).toContain('⚠ cut off from the board since 14:20:00')
  expect(draw(<Header {...header} cutOff={cutOff} width={40} />, 40)[0]).toContain('⚠ cut off')
})

test('the header of a board on a server keeps on 60 columns what stops the work, and then as much as has room', () => {
  const server = (props: Partial<HeaderProps>): string =>
    draw(
      <Header
        {...header}
        repository={ours('shop-of-lamps')}
        store={{ engine: ours('PostgreSQL'), polled: false }}
        supervisedElsewhere={{ pid: null, hosts: 2 }}
        cost={ours('$3.10/5.00')}
        {...props}
        width={60}
      />,
      60,
    )[0]!.replace(/ {2,}/g, '  ')
  const polled = { engine: ours('PostgreSQL'), polled: true }
  expect(server({})).toBe(' shop-of-lamps  running  agents 3/4  ⚑ 2 need you')
  expect(server({ store: polled })).toBe(' shop-of-lamps  ⚠ polled  running  agents 3/4  ⚑ 2 need you')
  expect(server({ cutOff: ours('14:20:00'), store: polled })).toBe(
    ' shop-of-lamps  ⚠ cut off  agents 3/4  ⚑ 2 need you',
  )
  // Since when all that is shown is of the past, before less important facts.
  expect(server({ cutOff: ours('14:20:00'), waiting: 0 })).toBe(' shop-of-lamps  ⚠ cut off since 14:20:00  agents 3/4')
  const full = ours('only 0.2 GB of the disk is free: 1 GB is needed; free some, or set session.freeDisk')
  expect(server({ hold: full })).toBe(' ⚠ only 0.2 GB of the disk is free  agents 3/4  ⚑ 2 need you')
  const remote = ours('the git remote has not answered since 16:20:11')
  expect(server({ hold: remote })).toBe(' ⚠ the git remote has not answered since 16:2…  ⚑ 2 need you')
  expect(server({ hold: remote, cutOff: ours('14:20:00') })).toBe(
    ' ⚠ cut off  ⚠ the git remote has not answered…  ⚑ 2 need you',
  )
  expect(server({ waiting: 0, tasks: { done: 12, all: 1800 } })).toBe(
    ' shop-of-lamps  running  agents 3/4  tasks 12/1800',
  )
})

test('the reason why nothing is confined has the room of the session, of the pace, and then of its own advice', () => {
  const pace = { completed: Array<number>(12).fill(1), failed: Array<number>(12).fill(0), plain: false }
  const why = ours(
    'parts of /proc are hidden here, as in a container; start that with --security-opt systempaths=unconfined',
  )
  const drawn = (width: number): string =>
    draw(<Header {...header} pace={pace} unconfined={{ why, chosen: false }} width={width} />, width)[0]!
  expect(drawn(240)).toContain('session-20260130-142233')
  expect(drawn(200)).toContain(`⚠ no sandbox: ${why}`)
  expect(drawn(160)).toMatch(/⚠ no sandbox: parts of .proc are hidden here, as in a container {2}agents/)
  for (const width of [240, 200, 160]) expect(drawn(width)).toMatch(/tasks .* 12.18 .*2 need you/)
})

test('the header shows how a session ended', () => {
  const session = {
    id: ours('session-20260130-142233'),
    status: 'failed' as const,
    summary: ours('12 of 18 done, 1 failed'),
  }
  expect(draw(<Header {...header} session={session} width={170} />, 170)[0]!.replace(/ {2,}/g, '  ')).toContain(
    'session-20260130-142233  failed: 12 of 18 done, 1 failed',
  )
})

test('a narrow header keeps the most important facts', () => {
  expect(draw(<Header {...header} width={40} />, 40)).toEqual([' shop  running  agents 3/4  ⚑ 2 need you'])
  // A text that just fits is not cut for a gap after it.
  expect(draw(<Header {...header} width={36} />, 36)).toEqual([' shop  agents 3/4  ⚑ 2 need you'])
})

test('titles are in the border, and the focused title is in brackets', () => {
  const section = { focused: false, height: 1, body: <Paint>text</Paint> }
  expect(
    draw(
      <Frame
        width={30}
        sections={[
          { ...section, key: 'a', title: ours('1 Board'), focused: true },
          { ...section, key: 'b', title: ours('3 Log'), note: ours('following') },
        ]}
      />,
      30,
    ),
  ).toEqual([
    '╭[1 Board]───────────────────╮',
    '│text                        │',
    '├ 3 Log ───────── following ─┤',
    '│text                        │',
    '╰────────────────────────────╯',
  ])
})

test('the footer keeps the help and quit keys at any width', () => {
  const keys = ['spawn', 'retry', 'integrate', 'help'].map((label) => ({
    keys: ours(label === 'help' ? '?' : label[0]!),
    label: ours(label),
    blocked: false,
    ...(label === 'help' ? { staysFrom: 30 } : {}),
  }))
  expect(
    draw(<Footer width={30} keys={keys} last={{ keys: ours('q'), label: ours('quit'), blocked: false }} />, 30),
  ).toEqual([' s spawn  ? help       q quit'])
  const others = keys.map((key) => ({ ...key, staysFrom: 31 }))
  expect(draw(<Footer width={30} keys={others} last={null} />, 30)).toEqual([' s spawn  r retry'])
})

test('the log shows levels in words', () => {
  expect(
    draw(
      <Log
        empty={ours('')}
        lines={[
          { key: 1, time: ours('14:22:31'), look: 'warn', text: ours('1 test failed') },
          { key: 2, time: ours(''), look: 'warn', text: ours('rejects an expired token') },
          { key: 3, time: ours(''), look: 'output', text: ours('$ npm test') },
        ]}
      />,
    ),
  ).toEqual([' 14:22:31 warn  1 test failed', '                rejects an expired token', ' $ npm test'])
})

test('a terminal that is too small shows a message that is readable at 20 columns', () => {
  expect(draw(<TooSmall columns={20} rows={5} keys={ours('q quits, agents work')} />, 20)).toEqual([
    'terminal too small',
    '40×10, this is 20×5',
    'q quits, agents work',
  ])
})

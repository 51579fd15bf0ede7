import type { ReactNode } from 'react'
import { expect, test } from 'vitest'
import { ours, safeLine, safeText } from '../../src/domain/words/safe-text.ts'
import { BurnDown } from '../../components/BurnDown.tsx'
import { Gantt } from '../../components/Gantt.tsx'
import { Sparkline } from '../../components/Sparkline.tsx'
import { AgentTable } from '../../components/AgentTable.tsx'
import { Approval, Sheet } from '../../components/Sheet.tsx'
import { Board } from '../../components/Board.tsx'
import { Columns } from '../../components/Columns.tsx'
import { Confirm } from '../../components/Confirm.tsx'
import { Filter } from '../../components/Filter.tsx'
import { Form } from '../../components/Form.tsx'
import { Header } from '../../components/Header.tsx'
import { Log } from '../../components/Log.tsx'
import { boardLooks } from '../../components/base/look.ts'
import { Notice } from '../../components/Notice.tsx'
import { Palette } from '../../components/Palette.tsx'
import { Sentences } from '../../components/Sentences.tsx'
import { Timeline } from '../../components/Timeline.tsx'
import { Tree } from '../../components/Tree.tsx'
import { Worktrees } from '../../components/Worktrees.tsx'
import { drawRaw, widest } from './frame.tsx'

/** Cursor movement, a clipboard write, a title, a hyperlink, a device query, bidi, zero width, CR, C1, NUL, and colours that stay open. */
const hostile =
  'a\u001b[2J\u001b[1;1Hb\u001b]52;c;aGk=\u0007c\u001b]0;title\u001b\\d\u001b]8;;http://x\u0007e\u001b[6nf\u202eg\u200bh\ri\u009b31mj\u0000k\u001b[31ml\u001bPq\u001b\\m\nn\u2066o\ud800p'
const text = safeText(hostile)
const line = safeLine(hostile)

const components: Record<string, ReactNode> = {
  Header: (
    <Header
      repository={text}
      branch={text}
      session={{ id: text, status: 'running', summary: null }}
      paused={false}
      supervisedElsewhere={{ pid: 1 }}
      agents={{ running: 1, most: 2 }}
      tasks={{ done: 1, all: 2 }}
      waiting={1}
      cost={text}
      pace={null}
      width={400}
    />
  ),
  Sparkline: (
    <Sparkline
      label={text}
      note={text}
      values={[1, 2]}
      beside={false}
      most={2}
      mostWords={text}
      width={400}
      height={3}
      colour="green"
      plain={false}
    />
  ),
  BurnDown: <BurnDown open={[3, 2, 1, 0]} most={3} axis={text} height={4} plain={false} />,
  Gantt: (
    <Gantt
      lanes={[{ name: text, cells: ['completed', null], said: text }]}
      nameWidth={200}
      axis={text}
      note={text}
      plain={false}
    />
  ),
  Board: (
    <Board
      width={120}
      focused
      empty={text}
      rows={(Object.keys(boardLooks) as (keyof typeof boardLooks)[]).map((state, id) => ({
        id,
        priority: 1,
        state,
        says: text,
        time: text,
        agent: text,
        title: text,
        asks: true,
        selected: true,
      }))}
    />
  ),
  AgentTable: (
    <AgentTable
      width={120}
      empty={text}
      rows={[
        {
          id: text,
          state: 'active',
          kind: text,
          pid: text,
          cpu: text,
          memory: text,
          beat: text,
          context: text,
          task: text,
          selected: true,
        },
      ]}
    />
  ),
  Log: (
    <Log
      empty={text}
      lines={(['debug', 'info', 'warn', 'error', 'output'] as const).map((look, key) => ({
        key,
        time: ours('14:22:31'),
        look,
        text: line,
      }))}
    />
  ),
  Worktrees: (
    <Worktrees
      width={120}
      focused
      empty={text}
      rows={[
        {
          name: text,
          ahead: 1,
          behind: 1,
          added: 1,
          removed: 1,
          dirty: 1,
          verified: text,
          look: null,
          says: text,
          warns: text,
          selected: true,
        },
      ]}
    />
  ),
  Sentences: <Sentences heading={text} sentences={[text]} />,
  Sheet: <Sheet title={text} lines={[{ text: line }, { text }]} top={0} total={2} width={120} height={2} />,
  Approval: (
    <Approval
      title={text}
      lines={[{ text: line, colour: 'green' }]}
      top={0}
      total={1}
      width={120}
      height={1}
      answer={text}
      ready
    />
  ),
  Confirm: <Confirm lines={[text, text]} answers={text} width={120} height={4} />,
  Form: (
    <Form
      title={text}
      question={[text]}
      from={0}
      readsOn={text}
      fields={[
        { label: text, value: text, choice: false, hint: text, wrong: text },
        { label: ours('b'), value: text, choice: true, hint: text, wrong: null },
      ]}
      at={0}
      line={text}
      hint={text}
      width={120}
      height={6}
    />
  ),
  Columns: (
    <Columns
      width={120}
      focused
      before
      after
      columns={[
        {
          column: 'working',
          count: 1,
          current: true,
          cards: [{ id: 1, state: 'in_progress', title: text, time: text, asks: true, selected: true }],
        },
      ]}
      reason={text}
    />
  ),
  Tree: (
    <Tree
      width={120}
      focused
      empty={text}
      rows={[
        {
          id: 1,
          state: 'in_progress',
          says: text,
          title: text,
          level: 1,
          beyond: null,
          also: text,
          reason: text,
          critical: true,
          asks: true,
          matches: true,
          selected: true,
        },
      ]}
    />
  ),
  Timeline: <Timeline at={1} of={2} event={text} after={text} playing width={120} />,
  Filter: <Filter text={text} />,
  Palette: (
    <Palette typed={text} rows={[{ keys: ours('x'), help: text, blocked: text }]} at={0} width={120} height={3} />
  ),
  Notice: <Notice text={text} tone="refused" />,
}

test.each(Object.entries(components))('%s writes only colours to the terminal', (_, element) => {
  const frame = drawRaw(element, 400)
  expect(frame).toContain('a')
  // oxlint-disable-next-line no-control-regex -- colour sequences are what is allowed
  const rest = frame.replace(/\u001b\[[0-9;:]*m/g, '')
  // oxlint-disable-next-line no-control-regex -- control characters are what must be missing
  expect(rest).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
  expect(rest).not.toMatch(/[\u200b-\u200f\u202a-\u202e\u2066-\u2069]/)
  expect(rest).not.toContain('title')
  expect(rest).not.toContain('aGk=')
})

/** A hostile text that starts with the name of its field, so that the field is recognised on the screen. */
const from = (field: string) => safeText(`${field} ${String(text)}`)

test('optional fields are drawn: the time and the reason of a card, and the reason in the tree', () => {
  const card = {
    id: 1,
    state: 'pending',
    title: from('TITLE'),
    time: from('TIME'),
    asks: false,
    selected: true,
  } as const
  const columns = drawRaw(
    <Columns
      width={400}
      focused
      before={false}
      after={false}
      columns={[{ column: 'pending', count: 1, current: true, cards: [card] }]}
      reason={from('REASON')}
    />,
    400,
  )
  const branch = {
    id: 1,
    state: 'pending',
    says: ours('pending'),
    title: ours('A title'),
    level: 0,
    beyond: null,
    also: ours(''),
    critical: false,
    asks: false,
  } as const
  const tree = drawRaw(
    <Tree
      width={400}
      focused
      empty={ours('')}
      rows={[{ ...branch, reason: from('REASON'), matches: true, selected: true }]}
    />,
    400,
  )
  expect([columns.includes('TIME'), columns.includes('REASON'), tree.includes('REASON')]).toEqual([true, true, true])
})

test('hidden characters are spelled out, so that a name cannot imitate another', () => {
  expect(drawRaw(<Notice text={safeText('pay\u200bments')} tone="told" />)).toContain('pay⟨200B⟩ments')
})

test('hostile text does not make a row wider than its pane', () => {
  expect(widest(drawRaw(components['Board'], 120).split('\n'))).toBeLessThanOrEqual(120)
  expect(widest(drawRaw(components['AgentTable'], 120).split('\n'))).toBeLessThanOrEqual(120)
})

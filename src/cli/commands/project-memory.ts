import { BRIEF_TOKENS, loadables } from '../../memory/project-memory/limits.ts'
import { COMPRESS_ABOVE } from '../../domain/agent/context-health.ts'
import { type Command, does, exitCodes } from '../call/command.ts'
import { counted } from '../print/columns.ts'
import { count, text } from '../call/values.ts'
import { argument, contentOf, needed, newName, option, pick, repeated, several } from '../call/words.ts'

const agent = option('--agent', 'A', 'Agent that writes (default: a person)', text)

/** Project memory (seed 001): its summary, timeline, hand-offs and working log. */
export const projectMemoryCommands: readonly Command[] = [
  does({
    path: 'memory init',
    summary: 'Create the missing folders and files of project memory',
    words: {},
    run: async (_, call) => {
      const { initProjectMemory, projectOf } = await import('../verbs/project-memory-index.ts')
      const { place } = await projectOf(call)
      const created = initProjectMemory(place)
      return {
        json: { root: place.root, created },
        text: created.length === 0 ? 'Nothing is missing.' : created.map((path) => `Created ${path}`).join('\n'),
      }
    },
    example: 'memory init',
  }),
  does({
    path: 'memory timeline',
    summary: 'Append an entry to the timeline; entries are never changed',
    words: {
      title: newName('TITLE', 'What happened, in a few words', text),
      agent,
      notes: repeated('--note', 'TEXT', 'Further detail, one bullet each', text),
    },
    run: async ({ title, agent, notes }, call) => {
      const { appendTimeline, shownText, writing } = await import('../verbs/project-memory-index.ts')
      const { place, writer } = await writing(call, agent)
      const entry = appendTimeline(place, { title, notes }, writer)
      return { json: entry, text: shownText(`Added '${entry.title}' by ${entry.agent} to the timeline.`) }
    },
    example: "memory timeline 'Hash chain verified' --agent claude --note 'All tests pass'",
  }),
  does({
    path: 'memory log',
    summary: 'Append an event to the working log of the phase; file_modified also counts a changed file',
    words: {
      type: argument('TYPE', 'Type of the event, such as verification or file_modified', text),
      pairs: several(
        'KEY=VALUE',
        'Fields of the event: test=hash-chain status=PASSED, path=F added=N removed=M',
        text,
        'optional',
      ),
      agent,
      phase: option('--phase', 'P', 'Phase of the log (default: the first one in progress)', text),
    },
    run: async ({ type, pairs, agent, phase }, call) => {
      const { logEvent, fieldsOf, writing } = await import('../verbs/project-memory-index.ts')
      const fields = fieldsOf(pairs)
      const { place, writer } = await writing(call, agent)
      const event = logEvent(place, { type, fields, phase }, writer)
      return { json: event, text: `Logged ${event.type}.` }
    },
    example: 'memory log verification test=hash-chain status=PASSED --agent claude --phase 0.1',
  }),
  does({
    path: 'memory handoff',
    summary: 'Hand over from one agent to another: writes the goal, the timeline entry and the event',
    words: {
      from: argument('FROM', 'Agent that hands over', text),
      to: argument('TO', 'Agent that continues', text),
      goal: contentOf(
        needed(
          '--file',
          'GOAL.md',
          "The goal, with Current state, Open question, Context, Constraints and Success criteria; '-' for standard input",
          text,
        ),
      ),
    },
    run: async ({ from, to, goal }, call) => {
      const { handOff, writing } = await import('../verbs/project-memory-index.ts')
      const { place, writer } = await writing(call, undefined)
      const handoff = handOff(place, { from, to, goal }, writer)
      const missing = handoff.missing.length === 0 ? '' : `\nThe goal has no ${handoff.missing.join(', ')}.`
      return {
        json: handoff,
        text: `${handoff.path} is written. Update context/meta/summary.md to complete the hand-off.${missing}`,
      }
    },
    example: 'memory handoff claude chatgpt --file goal.md',
  }),
  does({
    path: 'memory phase complete',
    summary: 'Complete a phase: archives its working log and moves its line in the summary to Completed',
    words: { phase: argument('P', 'Phase, such as 0.1', text) },
    run: async ({ phase }, call) => {
      const { completePhase, writing } = await import('../verbs/project-memory-index.ts')
      const { place } = await writing(call, undefined)
      const done = completePhase(place, phase)
      return {
        json: done,
        text: `Phase ${done.phase} is complete. ${done.archive === null ? 'It had no working log.' : `${counted(done.lines, 'event')} moved to ${done.archive}.`}`,
      }
    },
    example: 'memory phase complete 0.1',
  }),
  does({
    path: 'memory query',
    summary:
      "Ask 'Which ADRs apply to Phase 0.1?', 'What files were modified in current session?' or 'Has ADR-008 been accepted?'",
    words: { words: several('QUESTION', 'One of the questions, or in short: adrs P, files, accepted ID', text) },
    run: async ({ words }, call) => {
      const { queryProjectMemory, projectOf, shownText } = await import('../verbs/project-memory-index.ts')
      const answer = queryProjectMemory((await projectOf(call)).place, words.join(' '))
      return { json: answer, text: shownText(answer.answer) }
    },
    example: "memory query 'Has ADR-008 been accepted?'",
  }),
  does({
    path: 'memory load',
    summary: 'Print the memory to load into a context: at the start of a session, for a decision, or after a hand-off',
    words: {
      what: pick('WHAT', 'session-start, adr ID, or handoff AGENT', loadables),
      name: several('NAME', 'Id of the decision, or the agent', text, 'optional'),
    },
    run: async ({ what, name }, call) => {
      const { load, projectOf, shownText } = await import('../verbs/project-memory-index.ts')
      const loaded = load((await projectOf(call)).place, what, name)
      for (const path of loaded.missing) call.streams.err(`${path} is missing; 'aiswarm memory init' creates it.\n`)
      return {
        json: loaded,
        text: loaded.files.map(({ path, content }) => `--- ${path} ---\n${shownText(content).trimEnd()}\n`).join('\n'),
      }
    },
    example: 'memory load session-start',
  }),
  does({
    path: 'memory brief',
    summary: "Print an agent's short-term brief: task, criteria, blockers, verification, decisions, last ten actions",
    words: {
      agent: argument('AGENT', 'Agent', text),
      tokens: option('--tokens', 'N', `Maximum number of tokens (default: ${BRIEF_TOKENS})`, count),
    },
    run: async ({ agent, tokens }, call) => {
      const { renderBrief, briefOf, shownText } = await import('../verbs/project-memory-index.ts')
      const brief = await briefOf(call, agent)
      const { text, leftOut } = renderBrief(brief, tokens)
      return {
        json: { ...brief, leftOut },
        text: text === '' ? `The brief of ${agent} is still empty.` : shownText(text),
      }
    },
    example: 'memory brief claude',
  }),
  does({
    path: 'memory compress',
    summary: `Move details to the timeline and keep the summary, if a context has more than ${COMPRESS_ABOVE.toLocaleString('en')} tokens`,
    words: {
      tokens: option('--tokens', 'N', 'Tokens of the context, as the agent counted them', count),
      context: option('--context', 'F', 'File with the context; four characters count as one token', text),
      summary: needed('--summary', 'F', 'The new summary.md', text),
      details: needed('--details', 'F', 'Details for the timeline', text),
      agent,
    },
    grave: true,
    run: async ({ tokens, context, summary, details, agent }, call) => {
      const { compressMemory, fileText, writing } = await import('../verbs/project-memory-index.ts')
      const given = {
        tokens,
        context: context === undefined ? undefined : await fileText(context, call),
        summary: await fileText(summary, call),
        details: await fileText(details, call),
      }
      const { place, writer } = await writing(call, agent)
      const done = compressMemory(place, given, writer)
      return {
        json: done,
        text: done.compressed
          ? ['Only the summary of the context remains.', ...done.archived.map((path) => `Kept ${path}`)].join('\n')
          : `${done.tokens} tokens are not above ${COMPRESS_ABOVE}; nothing was changed.`,
      }
    },
    example: 'memory compress --tokens 150000 --summary summary.md --details details.md --agent claude',
  }),
  does({
    path: 'memory verify',
    summary: 'Check project memory: formats, changed decisions, changed timeline entries, times, hand-offs',
    words: {},
    run: async (_, call) => {
      const { verificationText, verifyProjectMemory, projectOf, shownText } =
        await import('../verbs/project-memory-index.ts')
      const verification = verifyProjectMemory((await projectOf(call)).place)
      return {
        json: verification,
        text: shownText(verificationText(verification)),
        code: verification.findings.length === 0 ? exitCodes.done : exitCodes.refused,
      }
    },
    example: 'memory verify',
  }),
]

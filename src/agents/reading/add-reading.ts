import type { Reading } from './reading.ts'
import { SERVER_NAME } from '../kind/server-config.ts'
import { countable, withContext, withUsage } from './usage.ts'
import type { Report } from './report.ts'

/** The longest message that is stored (characters); longer than any display, so that masking sees whole secrets. */
const LONGEST = 5000

/** The most denials that are stored, for an agent that tries the same action forever. */
const MOST_DENIED = 100

/** Calls whose end may still be reported. */
const OPEN_CALLS = 64

export const addReading = (report: Report, reading: Reading): Report => {
  switch (reading.kind) {
    case 'session':
      return report.session === reading.id ? report : { ...report, session: reading.id }
    case 'model':
      return report.model === reading.name ? report : { ...report, model: reading.name }
    case 'text':
      return {
        ...answered(report),
        said: (reading.continues === true && report.speaking
          ? `${report.said ?? ''}${reading.text}`
          : reading.text
        ).slice(0, LONGEST),
        speaking: true,
      }
    case 'tool':
      return { ...answered(report), ...called(report, reading), speaking: false }
    case 'denied':
      return withDenial(report, reading)
    case 'usage':
      return withUsage(report, countable(reading))
    case 'context':
      return withContext(report, reading)
    case 'limited':
      return {
        ...report,
        limited: { sentence: reading.sentence, resetsAt: reading.resetsAt ?? report.limited?.resetsAt ?? null },
      }
    case 'unauthorized':
      return { ...report, unauthorized: reading.sentence }
    case 'no_server':
      return { ...report, noServer: reading.sentence }
    case 'no_session':
      return { ...report, noSession: reading.sentence }
    case 'ended':
      return { ...report, ended: { ok: reading.ok, sentence: reading.sentence }, speaking: false }
    case 'note':
      return { ...report, noted: reading.text.slice(0, LONGEST) }
    case 'tool_failed':
      return report
  }
}

/** An answer of the service shows that an earlier problem was temporary. */
const answered = (report: Report): Report =>
  report.limited === null && report.unauthorized === null ? report : { ...report, limited: null, unauthorized: null }

const called = (report: Report, { name, about, call }: Extract<Reading, { kind: 'tool' }>): Partial<Report> => ({
  // A call of the server proves that it runs, whatever was reported before.
  noServer: name.includes(SERVER_NAME) ? null : report.noServer,
  calls:
    call === undefined ? report.calls : [...report.calls.slice(1 - OPEN_CALLS), { call, name, about, denied: false }],
})

/** Some CLIs report a denial twice: when it happens, and in a list at their end. */
const withDenial = (report: Report, { name, about, call }: Extract<Reading, { kind: 'denied' }>): Report => {
  const known = report.calls.find((one) => one.call === call)
  if (known?.denied === true || report.denied.length >= MOST_DENIED) return report
  const denied = { name: name || known?.name || 'a tool', about: about || known?.about || '' }
  const calls =
    call === undefined
      ? report.calls
      : [...report.calls.filter((one) => one !== known).slice(1 - OPEN_CALLS), { call, ...denied, denied: true }]
  return { ...report, calls, denied: [...report.denied, denied] }
}

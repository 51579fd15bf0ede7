import { Counter, Gauge, Histogram, type OpenMetricsContentType, Registry } from 'prom-client'
import type { Metrics } from '../../operations/screens/metrics.ts'

type Distribution = Metrics['taskDurations']

export const metricsContentType: OpenMetricsContentType = Registry.OPENMETRICS_CONTENT_TYPE

/** The metrics as OpenMetrics text. All values are read from the database, so each call uses a new registry. */
export const metricsText = (metrics: Metrics): Promise<string> => {
  const registry = new Registry<OpenMetricsContentType>()
  registry.setContentType(metricsContentType)
  const registers = [registry]
  const gauge = <T extends string>(name: string, help: string, labelNames: readonly T[] = []) =>
    new Gauge({ name: `aiswarm_${name}`, help, labelNames, registers })
  const counter = <T extends string>(name: string, help: string, labelNames: readonly T[]) =>
    new Counter({ name: `aiswarm_${name}`, help, labelNames, registers })
  const perState = (one: Gauge<'status'>, counts: Readonly<Record<string, number>>): void =>
    Object.entries(counts).forEach(([status, n]) => one.set({ status }, n))

  perState(gauge('tasks', 'Tasks by state.', ['status']), metrics.tasks)
  gauge('tasks_claimable', 'Tasks that could be claimed now.').set(metrics.claimable.tasks)
  gauge('tasks_claimable_longest_wait_seconds', 'Longest time that one of them has waited.').set(
    metrics.claimable.longestWait,
  )
  registry.registerMetric(
    histogram(
      'aiswarm_task_duration_seconds',
      'Time from start to completion of completed tasks.',
      metrics.taskDurations,
    ),
  )
  registry.registerMetric(
    histogram(
      'aiswarm_claim_wait_seconds',
      'Time from when a task could be claimed to its first claim.',
      metrics.claimWaits,
    ),
  )

  const attempts = counter('attempts', 'Ended attempts by agent kind and outcome.', ['kind', 'outcome'])
  const running = gauge('attempts_under_way', 'Attempts in progress by agent kind.', ['kind'])
  const tokens = counter('tokens', 'Tokens that attempts used.', ['kind', 'direction'])
  const cost = counter('cost_usd', 'Cost of attempts in US dollars, as far as their agents report it.', ['kind'])
  for (const { kind, outcome, ...sums } of metrics.attempts) {
    if (outcome === null) running.set({ kind }, sums.attempts)
    else attempts.inc({ kind, outcome }, sums.attempts)
    tokens.inc({ kind, direction: 'in' }, sums.tokensIn)
    tokens.inc({ kind, direction: 'out' }, sums.tokensOut)
    cost.inc({ kind }, sums.costUsd)
  }

  const alive = gauge('agents', 'Agents that have not ended.', ['persona', 'kind', 'status'])
  const silent = gauge('agent_heartbeat_age_seconds', 'Age of the oldest heartbeat among them.', [
    'persona',
    'kind',
    'status',
  ])
  for (const { personaId: persona, kind, status, agents, silentFor } of metrics.agents) {
    alive.set({ persona, kind, status }, agents)
    silent.set({ persona, kind, status }, silentFor)
  }

  perState(gauge('integrations', 'Integrations by state.', ['status']), metrics.integrations)
  const requests = gauge('open_requests', 'Requests of agents that a person has not answered yet.', ['kind'])
  for (const [kind, n] of Object.entries(metrics.openRequests)) requests.set({ kind }, n)
  gauge('hook_deliveries_waiting', 'Hook deliveries that are still pending.').set(metrics.waitingDeliveries)
  return registry.metrics()
}

/**
 * The library's histogram counts single values, but the database has already counted these, so only its output is
 * replaced.
 */
const histogram = (name: string, help: string, { buckets, count, sum }: Distribution): Histogram<'le'> => {
  const metric = new Histogram<'le'>({ name, help, registers: [] })
  const values = [
    ...buckets.map(({ upTo, count }) => ({
      metricName: `${name}_bucket`,
      labels: { le: floating(upTo) },
      value: count,
    })),
    { metricName: `${name}_bucket`, labels: { le: '+Inf' }, value: count },
    { metricName: `${name}_sum`, labels: {}, value: sum },
    { metricName: `${name}_count`, labels: {}, value: count },
  ]
  const described = metric.get()
  const counted = async () => ({ ...(await described), values })
  return Object.assign(metric, { get: counted, getForPromString: counted })
}

/** OpenMetrics writes the bound of a bucket as a floating point number: `10.0`. */
const floating = (bound: number): string => (Number.isInteger(bound) ? bound.toFixed(1) : String(bound))

import { describe, expect, it, test } from 'vitest'
import { integrationMachine, integrationStates, type IntegrationState, type IntegrationVerb, whyNotApprove } from '../../src/domain/integration.ts'
import { step } from '../../src/domain/machine.ts'

/** From which states each verb leads where; every other pair is refused. */
const allowed: Record<IntegrationVerb, [from: IntegrationState[], to: IntegrationState]> = {
  refresh: [['requested', 'conflicted', 'verifying', 'unverified', 'ready', 'approved', 'moving'], 'requested'],
  conflict: [['requested'], 'conflicted'],
  verify: [['requested'], 'verifying'],
  unverify: [['verifying', 'approved'], 'unverified'],
  pass: [['verifying'], 'ready'],
  approve: [['ready'], 'approved'],
  move: [['approved'], 'moving'],
  hold: [['approved', 'moving'], 'ready'],
  land: [['moving'], 'integrated'],
  reject: [['requested', 'conflicted', 'verifying', 'unverified', 'ready'], 'rejected'],
}

describe('an integration', () => {
  for (const [verb, [from, to]] of Object.entries(allowed)) {
    it(`${verb} leads to ${to} from ${from.join(', ')} alone`, () => {
      const reached = integrationStates.map((state) => step(integrationMachine, verb as IntegrationVerb, state))
      expect(reached).toEqual(integrationStates.map((state) => (from.includes(state) ? to : undefined)))
    })
  }

  it('never leaves integrated or rejected', () => {
    for (const verb of Object.keys(integrationMachine)) {
      expect(step(integrationMachine, verb as IntegrationVerb, 'integrated')).toBeUndefined()
      expect(step(integrationMachine, verb as IntegrationVerb, 'rejected')).toBeUndefined()
    }
  })
})

test('only a ready integration can be approved, and every other says why not', () => {
  expect(whyNotApprove('w', 'ready')).toBeUndefined()
  expect(whyNotApprove('w', undefined)).toBe("No integration of w was requested; 'aiswarm worktree request w' does.")
  expect(whyNotApprove('w', 'verifying')).toBe('The merge of w is still being prepared; wait for it to be ready.')
  expect(whyNotApprove('w', 'conflicted')).toBe('w conflicts with its target; resolve it on the branch and request the integration again.')
  expect(integrationStates.filter((state) => whyNotApprove('w', state) === undefined)).toEqual(['ready'])
})

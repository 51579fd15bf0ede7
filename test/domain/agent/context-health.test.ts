import { describe, expect, it } from 'vitest'
import {
  COMPRESS_ABOVE,
  contextHealth,
  contextMark,
  contextWords,
  estimatedTokens,
  isCrowded,
  needsCompression,
} from '../../../src/domain/agent/context-health.ts'

const health = (tokens: number, window = 200_000, estimated = false) => contextHealth({ tokens, window, estimated })

describe('a context', () => {
  it.each([
    [0, 0],
    [1000, 1],
    [100_000, 50],
    [139_000, 70],
    [250_000, 125],
  ])('of %i tokens fills a window of 200,000 to %i percent', (tokens, percent) => {
    expect(health(tokens).percent).toBe(percent)
  })

  it('is crowded from 70 percent', () => {
    expect(isCrowded(health(138_999))).toBe(false)
    expect(isCrowded(health(140_000))).toBe(true)
    expect(contextMark(health(138_999))).toBe('69%')
    expect(contextMark(health(144_000))).toBe('72% ⚠')
  })

  it('should be compressed above 140,000 tokens, whatever its window, like memory compress', () => {
    expect(COMPRESS_ABOVE).toBe(140_000)
    expect(needsCompression(health(140_000))).toBe(false)
    expect(needsCompression(health(140_001, 1_000_000))).toBe(true)
    expect(contextWords(health(143_000))).toBe(
      '143k of 200k (72%) ⚠, compression suggested: aiswarm memory compress --tokens 143000',
    )
    expect(contextWords(health(150_000, 1_000_000))).toBe(
      '150k of 1000k (15%), compression suggested: aiswarm memory compress --tokens 150000',
    )
    expect(contextWords(health(100_000, 128_000))).toBe('100k of 128k (78%) ⚠')
  })

  it('is marked as estimated', () => {
    expect(contextMark(health(24_000, 200_000, true))).toBe('~12%')
    expect(contextWords(health(900, 200_000, true))).toBe('~900 of 200k (0%)')
  })

  it('that is unknown has no mark', () => {
    expect(contextMark(null)).toBe('')
  })

  it('is estimated as a quarter of the characters, rounded up', () => {
    expect([0, 1, 4, 5].map(estimatedTokens)).toEqual([0, 1, 1, 2])
  })
})

import type { Feed } from '../../core/registry.ts'
import { startColours } from './colours/feed.ts'
import { startReviewFeed } from './feed.ts'

/** Reads the review that is open, and then the colours of its lines. */
export const startReviewFeeds: Feed = (...options) => {
  const stops = [startReviewFeed(...options), startColours(...options)]
  return () => stops.forEach((stop) => stop())
}

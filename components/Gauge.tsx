import type { SafeText } from '../src/domain/words/safe-text.ts'
import { Paint } from './base/Paint.tsx'

/** The console's measurements of itself, below everything else. */
export const Gauge = ({ lines }: { readonly lines: readonly SafeText[] }) =>
  lines.map((line, at) => (
    <Paint key={at} dim>
      {line}
    </Paint>
  ))

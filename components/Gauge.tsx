import type { SafeText } from '../src/domain/safe-text.ts'
import { Paint } from './Paint.tsx'

/** What the console measures of itself, below everything else. */
export const Gauge = ({ lines }: { readonly lines: readonly SafeText[] }) =>
  lines.map((line, at) => (
    <Paint key={at} dim>
      {line}
    </Paint>
  ))

import { SAMPLE_PROGRAM, SAMPLE_URL, SAMPLE_WORKSPACE } from '../../api/sample-values.ts'
import { type Program, readPrograms, withOrigin, withProgram } from './programs.ts'

/** Inserts values into the samples and the texts of their copy buttons. */
const fill = (samples: Map<Element, string>, program?: Program): void => {
  for (const [code, original] of samples) {
    const text = program ? withProgram(withOrigin(original), program) : withOrigin(original)
    code.textContent = text
    const button = code.closest('.code')?.querySelector<HTMLElement>('[data-copy]')
    if (button) button.dataset.copy = text
  }
}

/** Fills in the samples of this page. Requests the reader's programs only if a sample names one. */
export const fillSamples = async (): Promise<void> => {
  const samples = new Map<Element, string>()
  for (const code of document.querySelectorAll('main pre code'))
    samples.set(code, code.textContent ?? '')
  fill(samples)
  const own = [
    SAMPLE_PROGRAM,
    `/workspaces/${SAMPLE_WORKSPACE}`,
    SAMPLE_URL.concat('/api/workspaces'),
  ]
  if (![...samples.values()].some((text) => own.some((value) => text.includes(value)))) return

  const programs = await readPrograms().catch(() => [])
  const select = document.querySelector<HTMLSelectElement>('#program')
  const [first] = programs
  if (!select || !first) return
  for (const { id, name, workspace } of programs)
    select.add(new Option(`${name} (${workspace})`, id))
  select.addEventListener('change', () =>
    fill(
      samples,
      programs.find(({ id }) => id === select.value),
    ),
  )
  select.closest('p')?.removeAttribute('hidden')
  fill(samples, first)
}

import { SAMPLE_PROGRAM, SAMPLE_URL, SAMPLE_WORKSPACE } from '../../api/sample-values.ts'

type Program = { id: string; name: string; workspace: string }

const read = async <Row>(path: string): Promise<Row[]> => {
  const response = await fetch(path, { headers: { Accept: 'application/json' } })
  const answer = (await response.json()) as { data?: Row[] }
  return answer.data ?? []
}

/** The signed-in reader's programs. The API knows the reader by the session's cookie, which no script can read. */
const readPrograms = async (): Promise<Program[]> => {
  const workspaces = await read<{ slug: string }>('/api/workspaces')
  const lists = workspaces.slice(0, 10).map(async ({ slug: workspace }) => {
    const programs = await read<{ id: string; name: string }>(`/api/workspaces/${workspace}/programs`)
    return programs.map(({ id, name }) => ({ id, name, workspace }))
  })
  return (await Promise.all(lists)).flat()
}

/** Puts values into the samples, and into what their buttons copy. */
const fill = (samples: Map<Element, string>, program?: Program): void => {
  for (const [code, original] of samples) {
    const url = original.replaceAll(/https:\/\/track\.example(\.com)?(?![\w.-])/g, location.origin)
    const text = program
      ? url
          .replaceAll(SAMPLE_PROGRAM, program.id)
          .replaceAll(`/workspaces/${SAMPLE_WORKSPACE}`, `/workspaces/${program.workspace}`)
          .replaceAll(`workspace: '${SAMPLE_WORKSPACE}'`, `workspace: '${program.workspace}'`)
      : url
    code.textContent = text
    const button = code.closest('.code')?.querySelector<HTMLElement>('[data-copy]')
    if (button) button.dataset.copy = text
  }
  for (const input of document.querySelectorAll<HTMLInputElement>('.try input[name="workspace"]')) {
    input.value = program?.workspace ?? SAMPLE_WORKSPACE
  }
}

/** Fills the samples of this page in. Asks who reads only where a sample has a program or workspace. */
export const fillSamples = async (): Promise<void> => {
  const samples = new Map<Element, string>()
  for (const code of document.querySelectorAll('main pre code')) samples.set(code, code.textContent ?? '')
  fill(samples)
  const own = [SAMPLE_PROGRAM, `/workspaces/${SAMPLE_WORKSPACE}`, SAMPLE_URL.concat('/api/workspaces')]
  if (![...samples.values()].some((text) => own.some((value) => text.includes(value)))) return

  const programs = await readPrograms().catch(() => [])
  const select = document.querySelector<HTMLSelectElement>('#program')
  const [first] = programs
  if (!select || !first) return
  for (const { id, name, workspace } of programs) select.add(new Option(`${name} (${workspace})`, id))
  select.addEventListener('change', () =>
    fill(
      samples,
      programs.find(({ id }) => id === select.value),
    ),
  )
  select.closest('p')?.removeAttribute('hidden')
  fill(samples, first)
}

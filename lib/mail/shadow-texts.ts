/** The text of the weekly mail to managers about a shadow run. */
import { counted } from '../plural.ts'
import type { ShadowWeekDetails } from './details.ts'
import type { Draft } from './paragraphs.ts'

/** What each result is called. */
const WORDS: Record<string, string> = {
  same: 'Decided the same',
  different: 'Decided differently',
  only_here: 'Commissions only here',
  only_there: 'Commissions only there',
}

/** What a week of a shadow run adds up to. */
export const shadowWeekDraft = ({
  workspaceName,
  programName,
  from,
  to,
  sums,
  url,
}: ShadowWeekDetails): Draft => {
  const differences = sums
    .filter(({ outcome }) => outcome !== 'same')
    .reduce((sum, { sales }) => sum + sales, 0)
  const said =
    sums.length === 0
      ? 'nothing to compare'
      : differences === 0
        ? 'both decide the same'
        : counted(differences, 'difference')
  return {
    subject: `Shadow run of ${programName}: ${said}`,
    preview: `What both platforms decided from ${from} to ${to}: ${said}.`,
    paragraphs: [
      'Hello,',
      [
        { name: programName },
        ' in ',
        { name: workspaceName },
        `: what both platforms decided from ${from} to ${to}.`,
      ],
      ...(sums.length === 0
        ? ['No sales were compared. Upload the other platform’s commissions to compare them.']
        : sums.map(
            ({ outcome, sales, here, there }) =>
              `${WORDS[outcome] ?? outcome}: ${counted(sales, 'sale')}, ${here} here and ${there} there.`,
          )),
      'Nothing of this is paid from here until the cut-over.',
      { button: 'View the comparison', link: url },
      'You receive this as a manager of the workspace. A manager can turn these emails off for each member, on the page Members.',
    ],
  }
}

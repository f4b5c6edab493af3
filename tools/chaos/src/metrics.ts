/** The sum of the series of a metric, in Prometheus' text, whose labels hold all of `labels`. */
export function metricSum(text: string, name: string, labels: readonly string[] = []): number {
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .filter((line) => labels.every((label) => line.includes(label)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

import { Parser } from "htmlparser2";

export interface TimedTest {
  seconds: number;
  file: string;
  /** Its title, after those of the groups that it is in. */
  title: string;
}

/** The tests of a JUnit report that took longest, slowest first. Skipped tests are not among them. */
export function slowestTests(report: string, count: number): TimedTest[] {
  const tests: TimedTest[] = [];
  const parser = new Parser(
    {
      onopentag(tag, { name = "", classname = "", time, file = "" }) {
        const title = classname === "" ? name : `${classname} > ${name}`;
        if (tag === "testcase") tests.push({ seconds: Number(time), file, title });
        if (tag === "skipped") tests.pop();
      },
    },
    { xmlMode: true },
  );
  parser.end(report);
  return tests.toSorted((a, b) => b.seconds - a.seconds).slice(0, count);
}

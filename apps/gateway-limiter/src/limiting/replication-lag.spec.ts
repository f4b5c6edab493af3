import { ReplicationLag, readReplicationInfo } from './replication-lag.ts';

const INFO = `# Replication\r
role:master\r
connected_slaves:2\r
slave0:ip=10.0.0.2,port=6379,state=online,offset=900,lag=0\r
slave1:ip=10.0.0.3,port=6380,state=wait_bgsave,offset=0,lag=0\r
master_failover_state:no-failover\r
master_repl_offset:1000\r
`;

describe('readReplicationInfo', () => {
  it('reads what a primary knows of its replicas', () => {
    expect(readReplicationInfo(INFO)).toEqual({
      offset: 1_000,
      replicas: [
        { name: '10.0.0.2:6379', isOnline: true, offset: 900 },
        { name: '10.0.0.3:6380', isOnline: false, offset: 0 },
      ],
    });
  });

  it('reads a primary without replicas', () => {
    expect(readReplicationInfo('role:master\nmaster_repl_offset:0\n')).toEqual({
      offset: 0,
      replicas: [],
    });
  });

  it('takes nothing from a replica', () => {
    expect(readReplicationInfo('role:slave\nmaster_repl_offset:5\n')).toBeUndefined();
  });
});

describe('ReplicationLag', () => {
  const report = (offset: number, acknowledged?: number, isOnline = true) => ({
    offset,
    replicas: acknowledged === undefined ? [] : [{ name: 'r', isOnline, offset: acknowledged }],
  });

  it('is 0 for a replica that has everything', () => {
    const lag = new ReplicationLag();
    expect(lag.observe(report(100, 100), 1_000)).toEqual([
      { name: 'r', isUp: true, bytes: 0, seconds: 0 },
    ]);
  });

  it('is the age of the oldest write that is not acknowledged', () => {
    const lag = new ReplicationLag();
    lag.observe(report(100, 100), 0);
    lag.observe(report(200, 100), 1_000);
    lag.observe(report(300, 100), 2_000);
    expect(lag.observe(report(300, 100), 5_000)).toEqual([
      { name: 'r', isUp: true, bytes: 200, seconds: 4 },
    ]);
    expect(lag.observe(report(300, 200), 6_000)).toMatchObject([{ bytes: 100, seconds: 4 }]);
    expect(lag.observe(report(300, 300), 7_000)).toMatchObject([{ bytes: 0, seconds: 0 }]);
  });

  it('shows a replica that is not synchronised as down, whatever lag it is said to have', () => {
    const lag = new ReplicationLag();
    lag.observe(report(100, 0, false), 0);
    expect(lag.observe(report(100, 0, false), 3_000)).toEqual([
      { name: 'r', isUp: false, bytes: 100, seconds: 3 },
    ]);
  });

  it('remembers a replica that vanished for ten minutes, with a lag that grows', () => {
    const lag = new ReplicationLag();
    lag.observe(report(100, 100), 0);
    lag.observe(report(200), 1_000);
    expect(lag.observe(report(200), 3_000)).toEqual([
      { name: 'r', isUp: false, bytes: 100, seconds: 2 },
    ]);
    expect(lag.observe(report(200), 700_000)).toEqual([]);
  });

  it('knows no series without a replica', () => {
    expect(new ReplicationLag().observe(report(100), 0)).toEqual([]);
  });

  it('starts anew when another primary took over', () => {
    const lag = new ReplicationLag();
    lag.observe(report(1_000, 0), 0);
    expect(lag.observe(report(50, 50), 1_000)).toEqual([
      { name: 'r', isUp: true, bytes: 0, seconds: 0 },
    ]);
  });
});

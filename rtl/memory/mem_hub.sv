// SPDX-License-Identifier: Apache-2.0
// Joins what an SM asks of L2 to one link, and tells answers apart, of which several links bring some: the load/store unit, the instruction cache and the constant
// cache. Ids of the lower half are the load/store unit's, then come the instruction cache's, and in the uppermost quarter the
// constant cache's. The caches are served first: they ask seldom, and a whole warp waits for them. A request of the load/store
// unit that has begun is finished before.
// The instruction cache has up to four reads in flight, each with a place; the constant cache has one. In pieces
// their answers are passed on as they come, told apart by place; whole sectors in the order asked (hub_reader). A cache gets an
// answer a cycle. Two on two links would go one after the other, but its reads in flight are of one line, whose answers come on one.
module mem_hub #(
  localparam int unsigned Links = mem_pkg::Links
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,

  input  logic                          lsu_req_valid_i,
  output logic                          lsu_req_ready_o,
  input  mem_pkg::req_t                 lsu_req_i,
  output logic [Links-1:0]              lsu_rsp_valid_o,
  input  logic [Links-1:0]              lsu_rsp_ready_i,
  output mem_pkg::rsp_t [Links-1:0]     lsu_rsp_o,

  // A place is free again after the last piece of its answer.
  input  logic                          icache_req_valid_i,
  output logic                          icache_req_ready_o,
  input  logic [gpu_pkg::AddrW-1:5]     icache_req_sector_i,
  input  logic [1:0]                    icache_req_place_i,   // 0, 1, 2, 3 in turn
  output logic                          icache_rsp_valid_o,   // always taken
  output logic                          icache_rsp_error_o,
  output logic [1:0]                    icache_rsp_place_o,
  output mem_pkg::piece_t               icache_rsp_piece_o,
  output logic [mem_pkg::PieceBits-1:0] icache_rsp_data_o,

  input  logic                          const_req_valid_i,
  output logic                          const_req_ready_o,
  input  logic [gpu_pkg::AddrW-1:5]     const_req_sector_i,
  output logic                          const_rsp_valid_o,    // always taken
  output logic                          const_rsp_error_o,
  output mem_pkg::piece_t               const_rsp_piece_o,
  output logic [mem_pkg::PieceBits-1:0] const_rsp_data_o,

  output logic                          mem_req_valid_o,
  input  logic                          mem_req_ready_i,
  output mem_pkg::req_t                 mem_req_o,
  input  logic [Links-1:0]              mem_rsp_valid_i,
  output logic [Links-1:0]              mem_rsp_ready_o,
  input  mem_pkg::rsp_t [Links-1:0]     mem_rsp_i
);

  localparam logic [mem_pkg::IdW-1:0] IcacheBase = mem_pkg::IdW'(1) << (mem_pkg::IdW - 1);
  localparam logic [mem_pkg::IdW-1:0] ConstBase = mem_pkg::IdW'(3) << (mem_pkg::IdW - 2);

  // ---- requests -----------------------------------------------------------------------------------------
  logic begun;   // a request of the load/store unit, and not yet ended
  if (mem_pkg::Pieces > 1) begin : g_begun
    logic begun_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begun_q <= 1'b0;
      else if (lsu_req_valid_i && lsu_req_ready_o) begun_q <= !lsu_req_i.last;
    end
    assign begun = begun_q;
  end else begin : g_one_beat
    assign begun = 1'b0;
  end

  // What is offered stays until it is taken: a cache does not come before a request that waits.
  logic i_valid, c_valid, lsu_first;
  logic lsu_waits_q, const_waits_q;
  assign lsu_first = begun || lsu_waits_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {lsu_waits_q, const_waits_q} <= '0;
    else {lsu_waits_q, const_waits_q} <= {lsu_req_valid_i && !i_valid && !c_valid && !mem_req_ready_i,
                                          c_valid && !i_valid && !mem_req_ready_i};
  end

  assign i_valid = icache_req_valid_i && !lsu_first && !const_waits_q;
  assign c_valid = const_req_valid_i && !lsu_first;
  assign icache_req_ready_o = mem_req_ready_i && !lsu_first && !const_waits_q;
  assign const_req_ready_o = mem_req_ready_i && !i_valid && !lsu_first;
  assign lsu_req_ready_o = mem_req_ready_i && !i_valid && !c_valid;
  assign mem_req_valid_o = i_valid || c_valid || lsu_req_valid_i;
  always_comb begin
    mem_req_o = lsu_req_i;
    if (i_valid || c_valid) begin
      mem_req_o.kind = mem_pkg::ReqRead;
      mem_req_o.id = i_valid ? IcacheBase | mem_pkg::IdW'(icache_req_place_i) : ConstBase;
      mem_req_o.sector = i_valid ? icache_req_sector_i : const_req_sector_i;
      mem_req_o.piece = '0;
      mem_req_o.last = 1'b1;
      mem_req_o.mask = '0;
    end
  end

  // ---- answers ------------------------------------------------------------------------------------------
  // An acknowledgement beside an answer to a cache is the load/store unit's, which takes it at once.
  logic [Links-1:0] for_icache, for_const;      // answers to caches
  logic             to_icache, to_const;
  mem_pkg::answer_t i_answer, c_answer;
  for (genvar p = 0; p < int'(Links); p++) begin : g_link
    logic to_cache, second;                     // second: another link brings the cache an answer in this cycle
    logic [mem_pkg::IdW-1:0] id;
    assign id = mem_rsp_i[p].answer.id;
    assign to_cache = mem_rsp_i[p].answer.kind != mem_pkg::ReqWrite && id[mem_pkg::IdW-1];
    assign for_icache[p] = mem_rsp_valid_i[p] && to_cache && !id[mem_pkg::IdW-2];
    assign for_const[p] = mem_rsp_valid_i[p] && to_cache && id[mem_pkg::IdW-2];
    assign second = p > 0 && ((for_icache[p] && for_icache[0]) || (for_const[p] && for_const[0]));
    assign lsu_rsp_valid_o[p] = mem_rsp_valid_i[p] && (!to_cache || (mem_rsp_i[p].ack.valid && !second));
    assign lsu_rsp_o[p] = mem_pkg::share(mem_rsp_i[p], !to_cache, 1'b1);
    assign mem_rsp_ready_o[p] = to_cache ? !second : lsu_rsp_ready_i[p];
  end
  assign to_icache = for_icache != '0;
  assign to_const = for_const != '0;
  assign i_answer = Links > 1 && !for_icache[0] ? mem_rsp_i[Links-1].answer : mem_rsp_i[0].answer;
  assign c_answer = Links > 1 && !for_const[0] ? mem_rsp_i[Links-1].answer : mem_rsp_i[0].answer;

  if (mem_pkg::Pieces > 1) begin : g_as_they_come
    assign icache_rsp_valid_o = to_icache;
    assign icache_rsp_error_o = i_answer.error;
    assign icache_rsp_place_o = i_answer.id[1:0];
    assign icache_rsp_piece_o = i_answer.piece;
    assign icache_rsp_data_o = i_answer.data;
    assign const_rsp_valid_o = to_const;
    assign const_rsp_error_o = c_answer.error;
    assign const_rsp_piece_o = c_answer.piece;
    assign const_rsp_data_o = c_answer.data;
  end else begin : g_in_order
    assign icache_rsp_piece_o = '0;
    assign const_rsp_piece_o = '0;
    hub_reader u_icache (
      .clk_i       (clk_i),
      .rst_ni      (rst_ni),
      .mem_valid_i (to_icache),
      .mem_place_i (i_answer.id[1:0]),
      .mem_error_i (i_answer.error),
      .mem_data_i  (i_answer.data),
      .rsp_valid_o (icache_rsp_valid_o),
      .rsp_place_o (icache_rsp_place_o),
      .rsp_error_o (icache_rsp_error_o),
      .rsp_data_o  (icache_rsp_data_o)
    );
    hub_reader #(.Depth(1)) u_const (
      .clk_i       (clk_i),
      .rst_ni      (rst_ni),
      .mem_valid_i (to_const),
      .mem_place_i (1'b0),
      .mem_error_i (c_answer.error),
      .mem_data_i  (c_answer.data),
      .rsp_valid_o (const_rsp_valid_o),
      .rsp_place_o (),
      .rsp_error_o (const_rsp_error_o),
      .rsp_data_o  (const_rsp_data_o)
    );
  end

endmodule
